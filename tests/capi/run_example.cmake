# Runs examples/c/example.c: it exits with 0, says nothing on stderr, and its predictions are near sin(x).
#     cmake -D PROGRAM=example -P run_example.cmake
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${PROGRAM} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
if(NOT status EQUAL 0 OR NOT errors STREQUAL "")
  message(FATAL_ERROR "exit status ${status}\n${output}${errors}")
endif()
foreach(words "lambda +LOO" "best lambda [0-9.e+-]+ with LOO 0\\.0[0-9]+" "largest leave-one-out error 0\\.[0-9]+"
              "x +predicted +sin\\(x\\)" "0\\.50 +0\\.[3-6]" "1\\.50 +(0\\.9|1\\.[01])" "4\\.50 +-(0\\.[89]|1\\.[01])")
  if(NOT output MATCHES "${words}")
    message(FATAL_ERROR "\"${words}\" is not in the output:\n${output}")
  endif()
endforeach()
