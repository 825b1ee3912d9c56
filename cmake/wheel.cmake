# SPDX-License-Identifier: Apache-2.0
# cmake/wheel.cmake -- the files of a build in the wheel jax-hilo: `cmake --install BUILD --component wheel`, of the
# target hilo_wheel.
find_library(HILO_STATIC_ZSTD libzstd.a)
if(NOT TARGET hilo_pjrt OR HILO_SANITIZE OR NOT HILO_STATIC_ZSTD)
  return()
endif()
include(cmake/portable.cmake)
set(portable hilo hilo_codegen hilo_aarch64 hilo_inspect hilo_rpc hilo_mpi hilo_pjrt)
hilo_portable(${portable})
list(TRANSFORM portable APPEND _portable)
add_custom_target(hilo_wheel ALL DEPENDS ${portable})
list(TRANSFORM portable REPLACE "(.+)" "$<TARGET_SONAME_FILE:\\1>" OUTPUT_VARIABLE files)
install(FILES ${files} DESTINATION jax_plugins/hilo COMPONENT wheel EXCLUDE_FROM_ALL)
if(TARGET hilo_grpc)  # for a server's devices; gRPC itself is the system's
  add_dependencies(hilo_wheel hilo_grpc)
  install(TARGETS hilo_grpc LIBRARY DESTINATION jax_plugins/hilo COMPONENT wheel EXCLUDE_FROM_ALL)
endif()
