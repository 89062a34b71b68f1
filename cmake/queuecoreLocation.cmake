# Where the library is, in the build tree: find_package(queuecore) with
# -Dqueuecore_DIR=<checkout>/cmake uses the checkout as it is, after `make build`.
# `make install` writes another file of this name beside the installed copies of the config.
# Read by queuecoreConfig.cmake and queuecoreConfigVersion.cmake, which are the same in both trees.
#
# QUEUECORE_TARGET_DIR names cargo's target folder when it is not <checkout>/target.

get_filename_component(_queuecore_root "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)

file(STRINGS "${_queuecore_root}/Cargo.toml" _queuecore_version REGEX "^version *= *\"[0-9]" LIMIT_COUNT 1)
string(REGEX REPLACE "^version *= *\"([0-9]+\\.[0-9]+\\.[0-9]+).*" "\\1"
       _queuecore_version "${_queuecore_version}")

if(NOT QUEUECORE_TARGET_DIR)
  set(QUEUECORE_TARGET_DIR "${_queuecore_root}/target")
endif()
set(_queuecore_include_dir "${_queuecore_root}/include")
set(_queuecore_lib_dir "${QUEUECORE_TARGET_DIR}/release")
set(_queuecore_shared "${_queuecore_lib_dir}/libqueuecore.so")
set(_queuecore_static "${_queuecore_lib_dir}/libqueuecore.a")
