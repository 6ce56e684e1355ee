# workbench/cmake/FindImGui.cmake: Dear ImGui with its GLFW and OpenGL 3 back ends, and stb.
#
# Debian's packages (libimgui-dev, libstb-dev) hold everything compiled. For a newer ImGui give its
# source folder as IMGUI_SOURCE_FOLDER: the six files that matter are then compiled here.
# Defines warpscope_imgui.
set(IMGUI_SOURCE_FOLDER "" CACHE PATH "A checkout of Dear ImGui; empty: the system's libimgui")

find_path(STB_INCLUDE_DIR stb_image_write.h PATH_SUFFIXES stb)
find_library(STB_LIBRARY stb)
if(IMGUI_SOURCE_FOLDER)
  set(IMGUI_INCLUDE_DIR "${IMGUI_SOURCE_FOLDER}")
  set(IMGUI_LIBRARY "compiled from ${IMGUI_SOURCE_FOLDER}")
else()
  find_path(IMGUI_INCLUDE_DIR imgui.h PATH_SUFFIXES imgui)
  find_library(IMGUI_LIBRARY imgui)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  ImGui
  REQUIRED_VARS IMGUI_LIBRARY IMGUI_INCLUDE_DIR STB_LIBRARY STB_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install libimgui-dev and libstb-dev")

if(ImGui_FOUND AND NOT TARGET warpscope_imgui)
  set(imgui_headers "${IMGUI_INCLUDE_DIR}" "${IMGUI_INCLUDE_DIR}/backends" "${STB_INCLUDE_DIR}")
  if(IMGUI_SOURCE_FOLDER)
    set(imgui_sources imgui.cpp imgui_draw.cpp imgui_tables.cpp imgui_widgets.cpp
                      backends/imgui_impl_glfw.cpp backends/imgui_impl_opengl3.cpp
                      misc/cpp/imgui_stdlib.cpp)
    list(TRANSFORM imgui_sources PREPEND "${IMGUI_SOURCE_FOLDER}/")
    list(APPEND imgui_headers "${IMGUI_SOURCE_FOLDER}/misc/cpp")
    add_library(warpscope_imgui STATIC ${imgui_sources})
    target_compile_features(warpscope_imgui PUBLIC cxx_std_20)
    target_include_directories(warpscope_imgui SYSTEM PUBLIC ${imgui_headers})
    target_link_libraries(warpscope_imgui PUBLIC "${STB_LIBRARY}" glfw OpenGL::GL ${CMAKE_DL_LIBS})
  else()
    add_library(warpscope_imgui INTERFACE)
    target_include_directories(warpscope_imgui SYSTEM INTERFACE ${imgui_headers})
    target_link_libraries(warpscope_imgui INTERFACE "${IMGUI_LIBRARY}" "${STB_LIBRARY}" glfw
                                                    OpenGL::GL ${CMAKE_DL_LIBS})
  endif()
endif()
