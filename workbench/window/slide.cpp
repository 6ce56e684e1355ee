// workbench/window/slide.cpp: a picture of one panel, or of the window, in any size, as PNG or SVG.
#include "workbench/window/slide.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "scenes/host/write_file.h"
#include "workbench/drawing/box.h"
#include "workbench/drawing/null_textures.h"
#include "workbench/drawing/svg.h"
#include "workbench/window/offscreen.h"

namespace warpscope {
namespace {

constexpr int kFrames = 4;  // layout settles in a few frames

// What is drawn, frame after frame, on copies: the window at hand does not change.
struct Scenery {
  const SlideOptions& options;
  Workspace& workspace;
  PanelStates panels;
  FrameState state;
  Selection selection;
  Style style;
  Requests requests = {};  // what a panel asks for while it is drawn for a slide: not asked
};

Scenery scenery_of(const SlideOptions& options, Workspace& workspace, const PanelStates& panels,
                   const FrameState& window) {
  Scenery scenery{options, workspace, panels, window, workspace.selection, {}};
  scenery.state.screenshot.clear();
  scenery.state.maximised.clear();
  scenery.state.lessons = {};
  scenery.state.help.open = false;
  scenery.state.notices = {};
  scenery.state.docks.present.windows.clear();  // they are not in the window
  scenery.state.docks.drag = {};
  scenery.state.focus = {};  // it is of another context
  scenery.panels.pictures.textures = nullptr;
  scenery.style = make_style(options.theme, options.scale);
  scenery.style.for_slides = options.panel != "window";
  return scenery;
}

// The panel in all of the picture, within its margins.
void draw_alone(Scenery& scenery) {
  const PanelRow* panel = find_panel(scenery.options.panel);
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const auto margin = static_cast<float>(scenery.options.margin);
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {margin, margin});
  constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoDecoration |
                                      ImGuiWindowFlags_NoBackground |
                                      ImGuiWindowFlags_NoSavedSettings;
  ImGui::Begin("slide", nullptr, kFixed);
  ImGui::PopStyleVar();
  panel->draw({scenery.workspace.view(), scenery.style, scenery.requests}, scenery.selection,
              scenery.panels);
  ImGui::End();
}

void draw(Scenery& scenery) {
  if (scenery.options.panel != "window") return draw_alone(scenery);
  Selection kept = scenery.workspace.selection;
  Requests asked = scenery.workspace.requests;
  draw_workbench(scenery.workspace, scenery.panels, scenery.style, scenery.state);
  scenery.workspace.selection = std::move(kept);
  scenery.workspace.requests = std::move(asked);
}

// Letters side by side on one line: their first indices, and the box around them.
struct LetterLine {
  std::vector<unsigned> letters;
  Box box{};
};

// A row that an edge of a clip rectangle cuts through: no letter of it is drawn, whole or not.
struct CutRow {
  float edge = 0, y0 = 0, y1 = 0;
  bool lower = true;  // the edge is the rectangle's lower one
  bool holds(const Box& box, const ImVec4& clip) const {
    constexpr float kNear = 2;
    if (std::abs((lower ? clip.w : clip.y) - edge) > kNear) return false;
    return lower ? box.y0 > y0 - kNear : box.y1 < y1 + kNear;
  }
};

// The lines of letters of a command, in the order of drawing.
std::vector<LetterLine> lines_of(const ImDrawList& list, const ImDrawCmd& command) {
  const ImVec2 white = ImGui::GetIO().Fonts->TexUvWhitePixel;
  const auto vertex = [&](unsigned i) -> const ImDrawVert& {
    const unsigned at = list.IdxBuffer[static_cast<int>(command.IdxOffset + i)];
    return list.VtxBuffer[static_cast<int>(command.VtxOffset + at)];
  };
  std::vector<LetterLine> lines;
  bool ended = true;
  for (unsigned i = 0; i + 6 <= command.ElemCount;) {
    const ImDrawVert &low = vertex(i), &high = vertex(i + 2);
    // Two triangles that share the diagonal of a rectangle in the font's texture; lines have theirs
    // there too, of no height.
    const bool letter = low.uv.x != white.x && low.uv.y != high.uv.y && &vertex(i + 3) == &low &&
                        &vertex(i + 4) == &high;
    if (!letter) {
      ended = true;
      i += 3;
      continue;
    }
    const Box box{low.pos.x, low.pos.y, high.pos.x, high.pos.y};
    const bool goes_on = !ended && box.x0 > lines.back().box.x0 && box.y0 < lines.back().box.y1 &&
                         box.y1 > lines.back().box.y0;
    if (!goes_on) lines.push_back({{}, box});
    lines.back().box = hull(lines.back().box, box);
    lines.back().letters.push_back(i);
    ended = false;
    i += 6;
  }
  return lines;
}

void add_cut_row(std::vector<CutRow>& rows, const Box& box, const ImVec4& clip) {
  constexpr float kRim = 1.5f;  // of a letter's picture, without ink
  if (box.y1 > clip.w + kRim && box.y0 < clip.w) rows.push_back({clip.w, box.y0, box.y1, true});
  if (box.y0 < clip.y - kRim && box.y1 > clip.y) rows.push_back({clip.y, box.y0, box.y1, false});
}

void hide(const LetterLine& line, ImDrawList& list, const ImDrawCmd& command) {
  for (const unsigned letter : line.letters) {
    for (unsigned corner = 0; corner < 6; ++corner) {
      const unsigned at = list.IdxBuffer[static_cast<int>(command.IdxOffset + letter + corner)];
      list.VtxBuffer[static_cast<int>(command.VtxOffset + at)].col = 0;
    }
  }
}

void drop_cut_rows(ImDrawList& list) {
  const auto of_faces = [](const ImDrawCmd& command) {
    return command.TexRef._TexData == ImGui::GetIO().Fonts->TexData;  // else of a picture
  };
  std::vector<std::vector<LetterLine>> lines;
  std::vector<CutRow> rows;
  for (const ImDrawCmd& command : list.CmdBuffer) {
    lines.push_back(of_faces(command) ? lines_of(list, command) : std::vector<LetterLine>{});
    for (const LetterLine& line : lines.back()) add_cut_row(rows, line.box, command.ClipRect);
  }
  if (rows.empty()) return;
  for (int c = 0; c < list.CmdBuffer.Size; ++c) {
    const ImDrawCmd& command = list.CmdBuffer[c];
    for (const LetterLine& line : lines[static_cast<std::size_t>(c)]) {
      const bool cut = std::any_of(rows.begin(), rows.end(), [&](const CutRow& row) {
        return row.holds(line.box, command.ClipRect);
      });
      if (cut) hide(line, list, command);
    }
  }
}

void put_on(Style& style) {
  load_fonts(style);
  apply_style(style);
  ImGui::GetIO().AddMousePosEvent(-1, -1);
}

Result<void> write_svg(Scenery& scenery) {
  ImGuiContext* const context = ImGui::CreateContext();
  ImGui::SetCurrentContext(context);
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.DisplaySize = {static_cast<float>(scenery.options.width),
                    static_cast<float>(scenery.options.height)};
  put_on(scenery.style);
  // The viewer of the picture smooths its edges, at a size that is not known here.
  ImGuiStyle& s = ImGui::GetStyle();
  s.AntiAliasedLines = s.AntiAliasedFill = false;
  NullTextures textures;
  for (int i = 0; i < kFrames; ++i) {
    io.DeltaTime = 1.0f / 60;
    ImGui::NewFrame();
    draw(scenery);
    ImGui::Render();
    textures.take(*ImGui::GetDrawData());
  }
  drop_cut_letters(*ImGui::GetDrawData());
  const Result<std::string> svg =
      svg_of(*ImGui::GetDrawData(), scenery.style.colours.panel, scenery.style.mono.font);
  ImGui::DestroyContext(context);
  if (!svg) return tl::unexpected(svg.error());
  return write_file(scenery.options.out, *svg);
}

Result<void> write_pixels(Scenery& scenery) {
  Result<std::unique_ptr<Offscreen>> screen =
      Offscreen::create(scenery.options.width, scenery.options.height);
  if (!screen) return tl::unexpected(screen.error());
  put_on(scenery.style);
  PictureTextures textures;
  scenery.panels.pictures.textures = &textures;
  for (int i = 0; i < kFrames; ++i)
    (*screen)->frame(
        1.0 / 60, [&] { draw(scenery); }, drop_cut_letters);
  return (*screen)->save_png(scenery.options.out.string());
}

}  // namespace

void drop_cut_letters(ImDrawData& frame) {
  for (int l = 0; l < frame.CmdLists.Size; ++l) drop_cut_rows(*frame.CmdLists[l]);
}

Result<void> write_slide(const SlideOptions& options, Workspace& workspace,
                         const PanelStates& panels, const FrameState& window) {
  ImGuiContext* const at_hand = ImGui::GetCurrentContext();
  ImGui::SetCurrentContext(nullptr);
  Scenery scenery = scenery_of(options, workspace, panels, window);
  const Result<void> written =
      options.out.extension() == ".svg" ? write_svg(scenery) : write_pixels(scenery);
  ImGui::SetCurrentContext(at_hand);
  return written;
}

}  // namespace warpscope
