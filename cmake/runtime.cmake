# SPDX-License-Identifier: Apache-2.0
# cmake/runtime.cmake -- libhilo_rt.a: the functions that objects of `hilo compile --to object --runtime rt` call. C
# programs link it, without C++'s library: its sources allocate nothing and throw nothing. libhilo.so has the same
# sources, so that both compute the same bits.
file(GLOB HILO_RUNTIME_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/hilo/backend/cpu/runtime/*.cc)
list(FILTER HILO_RUNTIME_SOURCES EXCLUDE REGEX ${HILO_LEFT_OUT})
add_library(hilo_rt STATIC ${HILO_RUNTIME_SOURCES})
set_target_properties(hilo_rt PROPERTIES POSITION_INDEPENDENT_CODE ON LINKER_LANGUAGE C
  ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
target_compile_features(hilo_rt PRIVATE cxx_std_20)
target_include_directories(hilo_rt PRIVATE ${PROJECT_SOURCE_DIR}/src ${HILO_GENERATED_DIR})
target_compile_definitions(hilo_rt PRIVATE HILO_RUNTIME_ARCHIVE)  # it refers to LAPACK, if the program links it
target_compile_options(hilo_rt PRIVATE ${HILO_CODE_OPTIONS} -fno-exceptions -ffunction-sections -fvisibility=hidden
  $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
target_link_libraries(hilo_rt INTERFACE m)
add_library(hilo::rt ALIAS hilo_rt)
