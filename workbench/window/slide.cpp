// workbench/window/slide.cpp: a picture of one panel, or of the window, in any size, as PNG or SVG.
#include "workbench/window/slide.h"

#include <imgui.h>

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
  scenery.state.help = false;
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

// Makes a line invisible that an edge of its clip rectangle cuts through.
void drop_if_cut(LetterLine& line, ImDrawList& list, const ImDrawCmd& command) {
  constexpr float kRim = 1.5f;  // of a letter's picture, without ink
  const bool cut =
      line.box.y0 < command.ClipRect.y - kRim || line.box.y1 > command.ClipRect.w + kRim;
  for (const unsigned letter : line.letters) {
    for (unsigned corner = 0; corner < 6 && cut; ++corner) {
      const unsigned at = list.IdxBuffer[static_cast<int>(command.IdxOffset + letter + corner)];
      list.VtxBuffer[static_cast<int>(command.VtxOffset + at)].col = 0;
    }
  }
  line = {};
}

void drop_cut_lines(ImDrawList& list, const ImDrawCmd& command) {
  const ImVec2 white = ImGui::GetIO().Fonts->TexUvWhitePixel;
  const auto vertex = [&](unsigned i) -> const ImDrawVert& {
    const unsigned at = list.IdxBuffer[static_cast<int>(command.IdxOffset + i)];
    return list.VtxBuffer[static_cast<int>(command.VtxOffset + at)];
  };
  LetterLine line;
  for (unsigned i = 0; i + 6 <= command.ElemCount;) {
    const ImDrawVert &low = vertex(i), &high = vertex(i + 2);
    // Two triangles that share the diagonal of a rectangle in the font's texture; lines have theirs
    // there too, of no height.
    const bool letter = low.uv.x != white.x && low.uv.y != high.uv.y && &vertex(i + 3) == &low &&
                        &vertex(i + 4) == &high;
    if (!letter) {
      drop_if_cut(line, list, command);
      i += 3;
      continue;
    }
    const Box box{low.pos.x, low.pos.y, high.pos.x, high.pos.y};
    const bool goes_on = !line.letters.empty() && box.x0 > line.box.x0 && box.y0 < line.box.y1 &&
                         box.y1 > line.box.y0;
    if (!goes_on) drop_if_cut(line, list, command);
    line.box = line.letters.empty() ? box : hull(line.box, box);
    line.letters.push_back(i);
    i += 6;
  }
  drop_if_cut(line, list, command);
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
  // Whoever shows the picture smooths its edges, at a size that is not known here.
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
  for (int l = 0; l < frame.CmdLists.Size; ++l) {
    ImDrawList& list = *frame.CmdLists[l];
    for (const ImDrawCmd& command : list.CmdBuffer) {
      if (command.TexRef._TexData != ImGui::GetIO().Fonts->TexData) continue;  // of a picture
      drop_cut_lines(list, command);
    }
  }
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
