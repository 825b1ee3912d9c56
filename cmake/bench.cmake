# SPDX-License-Identifier: Apache-2.0
# cmake/bench.cmake -- each bench/NAME.cc is a program build/bin/bench/NAME, each bench/rpc/NAME.cc one
# build/bin/bench/rpc/NAME; bench/preload/NAME.cc is build/bin/bench/NAME.so, for LD_PRELOAD.
file(GLOB HILO_BENCHES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.cc)
add_custom_target(bench)
find_package(benchmark QUIET)
if(NOT benchmark_FOUND)
  message(STATUS "Google Benchmark (libbenchmark-dev) is not here: no benchmarks are built")
  return()
endif()
foreach(source IN LISTS HILO_BENCHES)
  get_filename_component(name ${source} NAME_WE)
  add_executable(bench_${name} EXCLUDE_FROM_ALL ${source})
  set_target_properties(bench_${name} PROPERTIES OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/bench)
  target_include_directories(bench_${name} PRIVATE ${PROJECT_SOURCE_DIR})  # "bench/timing.h"
  target_link_libraries(bench_${name} PRIVATE hilo::hilo fmt::fmt benchmark::benchmark)
  add_dependencies(bench bench_${name})
endforeach()

file(GLOB HILO_PRELOADS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/preload/*.cc)
foreach(source IN LISTS HILO_PRELOADS)
  get_filename_component(name ${source} NAME_WE)
  add_library(bench_${name} MODULE EXCLUDE_FROM_ALL ${source})
  set_target_properties(bench_${name} PROPERTIES OUTPUT_NAME ${name} PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/bench)
  add_dependencies(bench bench_${name})
endforeach()

target_link_libraries(bench_all_reduce PRIVATE hilo_mpi)
target_link_libraries(bench_mesh_steps PRIVATE hilo_inspect)

if(NOT TARGET hilo_grpc)
  return()
endif()
file(GLOB HILO_RPC_BENCHES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/rpc/*.cc)
foreach(source IN LISTS HILO_RPC_BENCHES)
  get_filename_component(name ${source} NAME_WE)
  add_executable(bench_rpc_${name} EXCLUDE_FROM_ALL ${source})
  set_target_properties(bench_rpc_${name} PROPERTIES OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/bench/rpc)
  target_include_directories(bench_rpc_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(bench_rpc_${name} PRIVATE hilo::hilo hilo_rpc fmt::fmt)
  add_dependencies(bench_rpc_${name} hilo_grpc)  # opened at run time
  add_dependencies(bench bench_rpc_${name})
endforeach()
target_link_libraries(bench_rpc_echo PRIVATE grpc_flags)
