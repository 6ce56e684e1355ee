// workbench/window/render.cpp: a panel or the whole window of a session, drawn into a PNG.
#include "workbench/window/render.h"

#include <imgui.h>

#include <chrono>

#include "scenes/catalogue.h"
#include "scenes/host/nearest.h"
#include "workbench/window/frame.h"
#include "workbench/window/offscreen.h"

namespace warpscope {
namespace {

// Turns the workspace to what the options name. error: usage.
Result<void> choose(const RenderOptions& options, Workspace& workspace) {
  if (!options.scene.empty()) {
    if (Result<void> chosen = workspace.choose_scene(options.scene); !chosen) return chosen;
  }
  if (!options.device.empty()) {
    if (Result<void> chosen = workspace.choose_device(options.device); !chosen) return chosen;
  }
  Selection& selection = workspace.selection;
  Result<Configuration> axes = with_values(workspace.scene().axes, selection.axes, options.axes);
  if (!axes) return tl::unexpected(axes.error());
  selection.axes = *axes;
  for (const auto& [given, chosen] : {std::pair(&options.variant, &selection.variant),
                                      std::pair(&options.baseline, &selection.baseline)}) {
    if (given->empty()) continue;
    if (auto variant = find_variant_or_explain(workspace.scene(), *given); !variant)
      return tl::unexpected(variant.error());
    *chosen = *given;
  }
  return {};
}

// Diagrams show the selection, recorded or not: until its traces have come.
void wait_for_traces(Workspace& workspace) {
  workspace.update();
  constexpr double kTraceLimitS = 60;
  const auto start = std::chrono::steady_clock::now();
  while (workspace.progress().busy &&
         std::chrono::steady_clock::now() - start < std::chrono::duration<double>(kTraceLimitS)) {
    workspace.wait(0.05);
    workspace.update();
  }
}

}  // namespace

Result<void> render(const RenderOptions& options) {
  if (options.panel != "window" && find_panel(options.panel) == nullptr) {
    std::vector<std::string> names = {"window"};
    for (const PanelRow& panel : all_panels()) names.emplace_back(panel.name);
    return failure(ErrorKind::usage, "there is no panel of this name", "panel " + options.panel,
                   suggest(options.panel, names));
  }
  std::string session = options.session;
  if (session.empty()) {
    const auto recorded = recorded_sessions();
    if (recorded.empty())
      return failure(ErrorKind::input, "there is no recorded session", "render",
                     "name a .wsj or .wsj.gz file");
    session = recorded_session_of(options.scene).value_or(recorded.back()).string();
  }
  Workspace workspace({}, emulator_command({}));
  std::vector<std::filesystem::path> sessions = {session};
  sessions.insert(sessions.end(), options.joined.begin(), options.joined.end());
  if (Result<void> opened = workspace.open(sessions); !opened) return opened;
  if (Result<void> chosen = choose(options, workspace); !chosen) return chosen;
  Result<std::unique_ptr<Offscreen>> screen = Offscreen::create(options.width, options.height);
  if (!screen) return tl::unexpected(screen.error());
  Style style = make_style(options.theme, static_cast<float>(options.scale));
  load_fonts(style);
  apply_style(style);
  FrameState state;
  PictureTextures textures;
  PanelStates panels;
  panels.pictures.textures = &textures;
  state.theme = options.theme;
  wait_for_traces(workspace);
  constexpr int kFrames = 4;  // layout settles in a few frames
  for (int i = 0; i < kFrames; ++i) {
    if (options.panel != "window") state.wanted_tab = options.panel;
    workspace.update();
    (*screen)->frame(1.0 / 60, [&] { draw_workbench(workspace, panels, style, state); });
  }
  if (options.panel == "window") return (*screen)->save_png(options.out);
  const Box box = state.boxes[options.panel];
  return (*screen)->save_png(options.out, static_cast<int>(box.x0), static_cast<int>(box.y0),
                             static_cast<int>(box.width()), static_cast<int>(box.height()));
}

}  // namespace warpscope
