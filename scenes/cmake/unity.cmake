# scenes/cmake/unity.cmake: several sources compiled as one, where that was asked for.

# warpscope_unity(TARGET): a third of the compiler's work for a build from nothing, but more of it
# after each edit. Which sources go together is worked out anew at each configuration. A source with
# options of its own stays alone.
function(warpscope_unity target)
  if(NOT WARPSCOPE_UNITY)
    return()
  endif()
  set(sources "") # not the caller's
  set(units "")
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(listed ${target} SOURCES)
  foreach(source ${listed})
    set(special "")
    foreach(property COMPILE_OPTIONS COMPILE_DEFINITIONS OBJECT_DEPENDS SKIP_UNITY_BUILD_INCLUSION)
      get_source_file_property(value "${source}" DIRECTORY "${folder}" ${property})
      if(value)
        list(APPEND special ${property})
      endif()
    endforeach()
    if(source MATCHES "\\.cpp$" AND NOT source MATCHES "\\$<" AND NOT special)
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${folder}" NORMALIZE)
      list(APPEND sources "${source}")
    else()
      list(APPEND units "${source}")
    endif()
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
                                         "${PROJECT_SOURCE_DIR}/scenes/cmake/unity_groups.py")
  execute_process(
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/scenes/cmake/unity_groups.py"
            "${PROJECT_SOURCE_DIR}" "${CMAKE_BINARY_DIR}/generated/Unity" ${target} ${sources}
    OUTPUT_VARIABLE written COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "\n$" "" written "${written}")
  string(REPLACE "\n" ";" written "${written}")
  set_property(TARGET ${target} PROPERTY SOURCES ${units} ${written})
  # GCC collects its garbage a tenth of its time; these units need at most 2 GB without that.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE "SHELL:--param ggc-min-expand=400"
                                             "SHELL:--param ggc-min-heapsize=1500000")
  endif()
endfunction()
