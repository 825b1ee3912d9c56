# SPDX-License-Identifier: Apache-2.0
# cmake/grpc.cmake -- libhilo_grpc.so: the backend xrt's transport by gRPC, which libhilo_rpc.so opens when it is
# needed.
find_package(Protobuf)
find_package(PkgConfig)
find_program(HILO_GRPC_PLUGIN grpc_cpp_plugin)
# One query: each call of pkg-config reads the 200 packages that gRPC depends on. pkg_check_modules would make 18 calls,
# which take 9 s on Debian 12 and 20 s on Debian 13.
if(PKG_CONFIG_FOUND AND NOT HILO_GRPC_OPTIONS)
  execute_process(COMMAND ${PKG_CONFIG_EXECUTABLE} --cflags --libs grpc++ OUTPUT_VARIABLE options ERROR_QUIET)
  separate_arguments(options UNIX_COMMAND "${options}")
  list(FILTER options INCLUDE REGEX "^-[DILl]")
  list(REMOVE_DUPLICATES options)
  set(HILO_GRPC_OPTIONS "${options}" CACHE INTERNAL "what pkg-config says of grpc++")
endif()
if(NOT Protobuf_FOUND OR NOT HILO_GRPC_OPTIONS OR NOT HILO_GRPC_PLUGIN)
  message(STATUS "gRPC (libgrpc++-dev, protobuf-compiler-grpc, pkgconf) is not here: the backend xrt can't be used")
  return()
endif()
add_library(grpc_flags INTERFACE)
set(options ${HILO_GRPC_OPTIONS})
list(FILTER options INCLUDE REGEX "^-[DI]")
target_compile_options(grpc_flags INTERFACE ${options})
set(options ${HILO_GRPC_OPTIONS})
list(FILTER options INCLUDE REGEX "^-[Ll]")
target_link_libraries(grpc_flags INTERFACE -Wl,--push-state,--as-needed ${options} -Wl,--pop-state)

set(HILO_PROTOS ${PROJECT_SOURCE_DIR}/src/hilo/rpc/proto)
set(HILO_PROTO_OUT ${PROJECT_BINARY_DIR}/generated/rpc)
set(generated hilo/xrt/v1/xrt.pb hilo/xrt/v1/xrt.grpc.pb)
list(TRANSFORM generated REPLACE "(.+)" "${HILO_PROTO_OUT}/\\1.cc" OUTPUT_VARIABLE HILO_PROTO_SOURCES)
list(TRANSFORM generated REPLACE "(.+)" "${HILO_PROTO_OUT}/\\1.h" OUTPUT_VARIABLE HILO_PROTO_HEADERS)
file(MAKE_DIRECTORY ${HILO_PROTO_OUT})
add_custom_command(OUTPUT ${HILO_PROTO_SOURCES} ${HILO_PROTO_HEADERS}
  COMMAND protobuf::protoc --proto_path=${HILO_PROTOS} --cpp_out=${HILO_PROTO_OUT} --grpc_out=${HILO_PROTO_OUT}
          --plugin=protoc-gen-grpc=${HILO_GRPC_PLUGIN} hilo/xrt/v1/xrt.proto
  DEPENDS ${HILO_PROTOS}/hilo/xrt/v1/xrt.proto
  COMMENT "xrt.proto")
set_source_files_properties(${HILO_PROTO_SOURCES} PROPERTIES COMPILE_OPTIONS -w)
add_custom_target(hilo_protos DEPENDS ${HILO_PROTO_HEADERS})

file(GLOB HILO_GRPC_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/hilo/rpc/grpc/*.cc)
add_library(hilo_grpc MODULE ${HILO_GRPC_SOURCES} ${HILO_PROTO_SOURCES})
target_include_directories(hilo_grpc SYSTEM PRIVATE ${HILO_PROTO_OUT})
target_link_libraries(hilo_grpc PRIVATE hilo_rpc fmt::fmt grpc_flags protobuf::libprotobuf grpc++_reflection)
hilo_unity(hilo_grpc ${PROJECT_SOURCE_DIR}/src)
target_link_options(hilo_grpc PRIVATE -Wl,--version-script=${HILO_MAP})
set_target_properties(hilo_grpc PROPERTIES CXX_VISIBILITY_PRESET hidden INSTALL_RPATH "${HILO_COMPANION_RPATH}" LINK_DEPENDS ${HILO_MAP})
list(APPEND HILO_COMPANIONS hilo_grpc)
