# SPDX-License-Identifier: Apache-2.0
# hilo_add_model(TARGET FILE [NAME f] [OPTIONS ...]): compiles a program in FILE to an object with a C header, by
# `hilo compile --to object`, and adds a static library TARGET. A target that links it includes "NAME.h"; NAME is
# TARGET by default. OPTIONS are those of the command: --target x86-64:v3 --grad 0. With --runtime rt, the target links
# libhilo_rt.a.
function(hilo_add_model target file)
  cmake_parse_arguments(PARSE_ARGV 2 hilo "" "NAME" "OPTIONS")
  if(hilo_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hilo_add_model: got ${hilo_UNPARSED_ARGUMENTS}; wanted hilo_add_model(TARGET FILE [NAME f] [OPTIONS ...])")
  endif()
  if(NOT hilo_NAME)
    set(hilo_NAME ${target})
  endif()
  if(TARGET hilo_command)
    set(command $<TARGET_FILE:hilo_command>)
    set(needs hilo_command hilo_codegen)
    if(TARGET hilo_aarch64)
      list(APPEND needs hilo_aarch64)
    endif()
  else()
    # The second folder is that of a build tree.
    find_program(HILO_COMMAND hilo HINTS ${hilo_COMMAND_FOLDER} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/bin NO_CACHE REQUIRED)
    set(command ${HILO_COMMAND})
  endif()
  get_filename_component(source ${file} ABSOLUTE)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.model)
  set(model ${folder}/${hilo_NAME})
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${model}.o ${model}.h ${model}.json
    COMMAND ${command} compile ${source} --to object -o ${model} ${hilo_OPTIONS}
    DEPENDS ${source} ${needs} VERBATIM COMMENT "Compiling ${hilo_NAME}.o by hilo")
  add_library(${target} STATIC ${model}.o ${model}.h)
  set_source_files_properties(${model}.o PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
  target_include_directories(${target} INTERFACE ${folder})
  if(hilo_OPTIONS MATCHES "--runtime(=|;)rt")
    target_link_libraries(${target} INTERFACE $<IF:$<TARGET_EXISTS:hilo_rt>,hilo_rt,hilo::hilo_rt>)
  endif()
  target_link_libraries(${target} INTERFACE m)
endfunction()
