# SPDX-License-Identifier: Apache-2.0
# hilo_precompile(TARGET... [HEADERS HEADER...]): precompiles hilo's headers for the sources of these targets. HEADERS
# are names of hilo/*.h, without folder and extension; default: core. The first target compiles them. Further targets
# use its result, and must have the same compiler options.
function(hilo_precompile)
  cmake_parse_arguments(PARSE_ARGV 0 hilo "" "" "HEADERS")
  set(targets ${hilo_UNPARSED_ARGUMENTS})
  if(NOT targets)
    message(FATAL_ERROR "hilo_precompile: got no target; wanted hilo_precompile(TARGET... [HEADERS core nn ...])")
  endif()
  if(NOT hilo_HEADERS)
    set(hilo_HEADERS core)
  endif()
  list(TRANSFORM hilo_HEADERS REPLACE "(.+)" "<hilo/\\1.h>")
  list(POP_FRONT targets first)
  target_precompile_headers(${first} PRIVATE ${hilo_HEADERS})
  foreach(target IN LISTS targets)
    target_precompile_headers(${target} REUSE_FROM ${first})
  endforeach()
endfunction()
