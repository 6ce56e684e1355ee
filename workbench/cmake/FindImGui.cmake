# workbench/cmake/FindImGui.cmake: Dear ImGui with its GLFW and OpenGL 3 back ends, and stb.
#
# ./start brings Dear ImGui's docking branch into build/imgui. For another copy of it give its
# source folder as IMGUI_SOURCE_FOLDER. Defines warpscope_imgui.
set(IMGUI_SOURCE_FOLDER "" CACHE PATH "A checkout of Dear ImGui's docking branch; empty: what ./start brought")
set(imgui_folder "${IMGUI_SOURCE_FOLDER}")
if(NOT imgui_folder)
  set(imgui_folder "${PROJECT_SOURCE_DIR}/build/imgui/imgui")
endif()

find_path(STB_INCLUDE_DIR stb_image_write.h PATH_SUFFIXES stb)
find_library(STB_LIBRARY stb)
unset(IMGUI_INCLUDE_DIR CACHE)
find_path(IMGUI_INCLUDE_DIR backends/imgui_impl_opengl3.h PATHS "${imgui_folder}" NO_DEFAULT_PATH)
if(IMGUI_INCLUDE_DIR)
  file(STRINGS "${IMGUI_INCLUDE_DIR}/imgui.h" imgui_version_line REGEX "define IMGUI_VERSION_NUM ")
  string(REGEX MATCH "[0-9]+" imgui_version_number "${imgui_version_line}")
  file(STRINGS "${IMGUI_INCLUDE_DIR}/imgui.h" imgui_docking REGEX "define IMGUI_HAS_DOCK")
  if(imgui_docking AND imgui_version_number GREATER_EQUAL 19300)
    set(imgui_is_new_enough ON)
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  ImGui
  REQUIRED_VARS IMGUI_INCLUDE_DIR imgui_is_new_enough STB_LIBRARY STB_INCLUDE_DIR
  REASON_FAILURE_MESSAGE
    "run ./start or ./check once, which bring Dear ImGui into build/imgui, or set IMGUI_SOURCE_FOLDER to a copy of its docking branch, 1.93 or newer. stb is the package libstb-dev")

if(ImGui_FOUND AND NOT TARGET warpscope_imgui)
  set(imgui_sources imgui.cpp imgui_draw.cpp imgui_tables.cpp imgui_widgets.cpp
                    backends/imgui_impl_glfw.cpp backends/imgui_impl_opengl3.cpp
                    misc/cpp/imgui_stdlib.cpp)
  if(EXISTS "${IMGUI_INCLUDE_DIR}/imgui_stacklayout.cpp") # an addition of the archive's
    list(APPEND imgui_sources imgui_stacklayout.cpp)
  endif()
  list(TRANSFORM imgui_sources PREPEND "${IMGUI_INCLUDE_DIR}/")
  add_library(warpscope_imgui STATIC ${imgui_sources})
  target_compile_features(warpscope_imgui PUBLIC cxx_std_20)
  # Names that Dear ImGui keeps for old programs are not ours.
  target_compile_definitions(warpscope_imgui PUBLIC IMGUI_DISABLE_OBSOLETE_FUNCTIONS)
  target_include_directories(
    warpscope_imgui SYSTEM PUBLIC "${IMGUI_INCLUDE_DIR}" "${IMGUI_INCLUDE_DIR}/backends"
                                  "${IMGUI_INCLUDE_DIR}/misc/cpp" "${STB_INCLUDE_DIR}")
  target_link_libraries(warpscope_imgui PUBLIC "${STB_LIBRARY}" glfw OpenGL::GL ${CMAKE_DL_LIBS})
endif()
