# find_package(queuecore) gives two imported targets, in the build tree and the installed tree alike:
#   queuecore::queuecore   the shared library; programs need libqueuecore.so.<soversion> to run
#   queuecore::static      the static library, with the system libraries that it needs

include("${CMAKE_CURRENT_LIST_DIR}/queuecoreLocation.cmake")

foreach(_queuecore_needed IN ITEMS
        "${_queuecore_include_dir}/queuecore.h" "${_queuecore_shared}" "${_queuecore_static}")
  if(NOT EXISTS "${_queuecore_needed}")
    set(queuecore_FOUND FALSE)
    set(queuecore_NOT_FOUND_MESSAGE
        "${_queuecore_needed} is missing; in a checkout, run `make build` first")
    return()
  endif()
endforeach()

include(CMakeFindDependencyMacro)
find_dependency(Threads)

string(REGEX MATCH "^0\\.[0-9]+|^[1-9][0-9]*" _queuecore_soversion "${_queuecore_version}")

if(NOT TARGET queuecore::queuecore)
  add_library(queuecore::queuecore SHARED IMPORTED)
  set_target_properties(queuecore::queuecore PROPERTIES
    IMPORTED_LOCATION "${_queuecore_shared}"
    IMPORTED_SONAME "libqueuecore.so.${_queuecore_soversion}"
    INTERFACE_INCLUDE_DIRECTORIES "${_queuecore_include_dir}")

  add_library(queuecore::static STATIC IMPORTED)
  set_target_properties(queuecore::static PROPERTIES
    IMPORTED_LOCATION "${_queuecore_static}"
    INTERFACE_INCLUDE_DIRECTORIES "${_queuecore_include_dir}"
    INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS};m;gcc_s")
endif()
