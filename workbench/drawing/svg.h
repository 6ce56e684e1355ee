// workbench/drawing/svg.h: a frame of Dear ImGui as SVG: shapes as paths, letters as text.
#pragma once

#include <imgui.h>

#include <string>

#include "scenes/host/result.h"

//   ImGui::GetStyle().AntiAliasedLines = false;   // and lines by texture, and fills: the viewer
//   …                                             // smooths edges at its own size
//   ImGui::Render();
//   Result<std::string> svg = svg_of(*ImGui::GetDrawData(), colours.panel, style.mono);

namespace warpscope {

// Solid triangles of one colour become one path, cut at their clip rectangle; letters, known by
// their place in the font's texture, become text that can be selected, each at its own x. `mono`
// names the face that is drawn in a monospaced family. error: input, where the frame holds an
// image or a line drawn by texture.
Result<std::string> svg_of(const ImDrawData& frame, ImU32 ground, const ImFont* mono);

}  // namespace warpscope
