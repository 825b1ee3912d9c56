# SPDX-License-Identifier: Apache-2.0
# cmake/fuzz.cmake -- each tests/fuzz/NAME.cc is a libFuzzer program build-address/bin/fuzz/NAME.
file(GLOB HILO_FUZZERS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*.cc)
set(HILO_FUZZING_ENGINE -fsanitize=fuzzer CACHE STRING "what links an engine to a fuzzer")
add_custom_target(fuzzers)
foreach(source IN LISTS HILO_FUZZERS)
  get_filename_component(name ${source} NAME_WE)
  add_executable(fuzz_${name} ${source})
  set_target_properties(fuzz_${name} PROPERTIES OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/fuzz)
  target_link_options(fuzz_${name} PRIVATE ${HILO_FUZZING_ENGINE})
  target_link_libraries(fuzz_${name} PRIVATE hilo::hilo)
  if(name MATCHES "^rpc_")
    target_link_libraries(fuzz_${name} PRIVATE hilo_rpc)
  endif()
  add_dependencies(fuzzers fuzz_${name})
endforeach()
