# SPDX-License-Identifier: Apache-2.0
# cmake/soak.cmake -- the programs of tools/soak.py and tests/soak/run.py: each tests/soak/NAME.cc is a program
# build/bin/soak/NAME.
file(GLOB HILO_SOAKERS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/soak/*.cc)
add_custom_target(soakers)
if(NOT TARGET hilo_grpc)
  return()
endif()
foreach(source IN LISTS HILO_SOAKERS)
  get_filename_component(name ${source} NAME_WE)
  add_executable(soak_${name} ${source})
  set_target_properties(soak_${name} PROPERTIES OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/soak)
  target_link_libraries(soak_${name} PRIVATE hilo::hilo hilo_rpc fmt::fmt)
  add_dependencies(soak_${name} hilo_grpc)  # opened at run time
  add_dependencies(soakers soak_${name})
endforeach()
