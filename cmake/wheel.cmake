# SPDX-License-Identifier: Apache-2.0
# cmake/wheel.cmake -- the compiled files of the wheels hilo and jax-hilo: `cmake --install BUILD --component wheel`, of
# the target hilo_wheel. tools/wheel.py adds what `cmake --install BUILD` installs.
find_library(HILO_STATIC_ZSTD libzstd.a)
if(NOT TARGET hilo_pjrt OR NOT TARGET hilo_command OR HILO_SANITIZE OR NOT HILO_STATIC_ZSTD)
  return()
endif()
include(cmake/portable.cmake)
set(libraries hilo hilo_codegen hilo_aarch64 hilo_inspect hilo_rpc hilo_mpi)
if(NOT TARGET hilo_aarch64)
  list(REMOVE_ITEM libraries hilo_aarch64)
endif()
hilo_portable("$ORIGIN" ${libraries})
hilo_portable("$ORIGIN/../${CMAKE_INSTALL_LIBDIR}" hilo_command)
hilo_portable("$ORIGIN/../../hilo/${CMAKE_INSTALL_LIBDIR}" hilo_pjrt)
list(TRANSFORM libraries APPEND _portable)
add_custom_target(hilo_wheel ALL DEPENDS ${libraries} hilo_command_portable hilo_pjrt_portable)
list(TRANSFORM libraries REPLACE "(.+)" "$<TARGET_SONAME_FILE:\\1>" OUTPUT_VARIABLE files)
install(FILES ${files} DESTINATION hilo/${CMAKE_INSTALL_LIBDIR} COMPONENT wheel EXCLUDE_FROM_ALL)
install(PROGRAMS $<TARGET_FILE:hilo_command_portable> DESTINATION hilo/${CMAKE_INSTALL_BINDIR} COMPONENT wheel EXCLUDE_FROM_ALL)
install(FILES $<TARGET_FILE:hilo_pjrt_portable> DESTINATION jax_plugins/hilo COMPONENT wheel EXCLUDE_FROM_ALL)
if(TARGET hilo_grpc)  # for a server's devices; gRPC itself is the system's
  add_dependencies(hilo_wheel hilo_grpc)
  install(TARGETS hilo_grpc LIBRARY DESTINATION hilo/${CMAKE_INSTALL_LIBDIR} COMPONENT wheel EXCLUDE_FROM_ALL)
endif()
# The only headers of Boost that hilo/hilo.h includes; they include no others.
get_target_property(boost Boost::headers INTERFACE_INCLUDE_DIRECTORIES)
install(DIRECTORY ${boost}/boost/pfr DESTINATION hilo/third_party/boost COMPONENT wheel EXCLUDE_FROM_ALL)
