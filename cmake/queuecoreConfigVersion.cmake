# Tells find_package(queuecore VERSION) whether this copy will do. While the major version is 0 a
# new minor version may break callers, so the minor has to match as well, as in the soname.

include("${CMAKE_CURRENT_LIST_DIR}/queuecoreLocation.cmake")
set(PACKAGE_VERSION "${_queuecore_version}")
set(PACKAGE_VERSION_COMPATIBLE FALSE)
set(PACKAGE_VERSION_EXACT FALSE)

if(NOT PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION)
  string(REGEX MATCH "^0\\.[0-9]+|^[1-9][0-9]*" _queuecore_series "${PACKAGE_VERSION}")
  string(REGEX MATCH "^0\\.[0-9]+|^[1-9][0-9]*" _queuecore_wanted "${PACKAGE_FIND_VERSION}")
  if(_queuecore_wanted STREQUAL _queuecore_series OR PACKAGE_FIND_VERSION STREQUAL "0")
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
  endif()
endif()
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
