# SPDX-License-Identifier: Apache-2.0
# cmake/examples.cmake -- each examples/NAME.cc or examples/FIELD/NAME.cc is a program build/bin/examples/NAME that uses
# the public headers only; examples/c/NAME.c is build/bin/examples/c/NAME, in C99.
file(GLOB HILO_EXAMPLES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.cc
  ${PROJECT_SOURCE_DIR}/examples/*/*.cc)
add_custom_target(examples)
foreach(source IN LISTS HILO_EXAMPLES)
  get_filename_component(name ${source} NAME_WE)
  add_executable(example_${name} ${source})
  set_target_properties(example_${name} PROPERTIES OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/examples)
  target_include_directories(example_${name} PRIVATE ${PROJECT_SOURCE_DIR})  # "examples/support/x.h"
  target_compile_definitions(example_${name} PRIVATE HILO_EXAMPLE_DATA="${PROJECT_SOURCE_DIR}/examples/data")
  target_link_libraries(example_${name} PRIVATE hilo::hilo)
  add_dependencies(examples example_${name})
endforeach()

file(GLOB HILO_C_EXAMPLES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/c/*.c)
foreach(source IN LISTS HILO_C_EXAMPLES)
  get_filename_component(name ${source} NAME_WE)
  add_executable(example_c_${name} ${source})
  set_target_properties(example_c_${name} PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE C C_STANDARD 99
    C_EXTENSIONS OFF RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/examples/c)
  target_compile_definitions(example_c_${name} PRIVATE HILO_EXAMPLE_DATA="${PROJECT_SOURCE_DIR}/examples/data")
  target_compile_options(example_c_${name} PRIVATE -Wall -Wextra -Werror -pedantic)
  target_link_libraries(example_c_${name} PRIVATE hilo::c Threads::Threads m)
  add_dependencies(examples example_c_${name})
endforeach()
