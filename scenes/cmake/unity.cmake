# scenes/cmake/unity.cmake: several sources compiled as one, where that was asked for.

# warpscope_unity(TARGET): a third of the compiler's work for a build from nothing, but more of it
# after each edit. Which sources go together is worked out anew at each configuration.
function(warpscope_unity target)
  if(NOT WARPSCOPE_UNITY)
    return()
  endif()
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(listed ${target} SOURCES)
  foreach(source ${listed})
    if(source MATCHES "\\.cpp$" AND NOT source MATCHES "\\$<")
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${folder}" NORMALIZE)
      list(APPEND sources "${source}")
    endif()
  endforeach()
  execute_process(
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/scenes/cmake/unity_groups.py"
            "${PROJECT_SOURCE_DIR}" ${sources}
    OUTPUT_VARIABLE groups COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "\n$" "" groups "${groups}")
  string(REPLACE "\n" ";" groups "${groups}")
  foreach(line ${groups})
    string(REGEX MATCH "^([0-9]+) (.+)$" found "${line}")
    set_property(SOURCE "${CMAKE_MATCH_2}" DIRECTORY "${folder}" PROPERTY UNITY_GROUP ${target}_${CMAKE_MATCH_1})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # GCC collects its garbage a tenth of its time; these units need at most 2 GB without that.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE "SHELL:--param ggc-min-expand=400"
                                             "SHELL:--param ggc-min-heapsize=1500000")
  endif()
endfunction()
