# scenes/cmake/build_stamp.cmake: writes the version and commit of the source tree when they change.
execute_process(COMMAND git -C "${SOURCE}" describe --always --dirty --abbrev=10
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit "unknown commit")
endif()
set(text "\"${VERSION} (${commit})\"\n")
if(EXISTS "${OUT}")
  file(READ "${OUT}" before)
endif()
if(NOT "${before}" STREQUAL "${text}")
  file(WRITE "${OUT}" "${text}")
endif()
