// workbench/window/slide.cpp: a picture of one panel, or of the window, in any size, as PNG or SVG.
#include "workbench/window/slide.h"

#include <imgui.h>

#include <functional>
#include <utility>

#include "scenes/host/write_file.h"
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

// A list that goes on below its window ends with a whole line: letters that its lower or upper edge
// would cut through are not drawn.
void drop_cut_letters(ImDrawData& frame) {
  const ImVec2 white = ImGui::GetIO().Fonts->TexUvWhitePixel;
  const float descender = 0.25f * ImGui::GetStyle().FontSizeBase;
  for (int l = 0; l < frame.CmdLists.Size; ++l) {
    ImDrawList& list = *frame.CmdLists[l];
    for (const ImDrawCmd& command : list.CmdBuffer) {
      const auto vertex = [&](unsigned i) -> ImDrawVert& {
        const unsigned at = list.IdxBuffer[static_cast<int>(command.IdxOffset + i)];
        return list.VtxBuffer[static_cast<int>(command.VtxOffset + at)];
      };
      for (unsigned i = 0; i + 6 <= command.ElemCount;) {
        const ImDrawVert &low = vertex(i), &high = vertex(i + 2);
        // Two triangles that share the diagonal of a rectangle in the font's texture.
        const bool letter =
            low.uv.x != white.x && &vertex(i + 3) == &low && &vertex(i + 4) == &high;
        const bool whole = low.pos.y >= command.ClipRect.y - descender &&
                           high.pos.y <= command.ClipRect.w + descender;
        for (unsigned corner = 0; corner < 6 && letter && !whole; ++corner)
          vertex(i + corner).col = 0;
        i += letter ? 6 : 3;
      }
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
