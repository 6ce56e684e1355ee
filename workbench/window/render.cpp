// workbench/window/render.cpp: a panel or the whole window of a session, drawn into a file.
#include "workbench/window/render.h"

#include <algorithm>
#include <chrono>

#include "scenes/catalogue.h"
#include "scenes/host/nearest.h"
#include "scenes/host/paths.h"
#include "workbench/panels/source/source_listing.h"
#include "workbench/window/slide.h"
#include "workbench/workspace/pinned_points.h"
#include "workbench/workspace/trace_state.h"

namespace warpscope {
namespace {

// The axes of Sweep: one, or two for a map. error: usage.
Result<void> choose_sweep(Selection& selection, const Scene& scene,
                          const std::vector<std::string>& names) {
  if (names.size() > 2) {
    return failure(ErrorKind::usage, "Sweep has one axis or two",
                   std::to_string(names.size()) + " axes to sweep",
                   "name one or two after --sweep");
  }
  std::string* const chosen[] = {&selection.sweep_axis, &selection.sweep_second_axis};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (find_axis(scene.axes, names[i]) == nullptr) {
      std::vector<std::string> known;
      for (const Axis& axis : scene.axes) known.push_back(axis.name);
      return failure(ErrorKind::usage, "there is no such axis", names[i], suggest(names[i], known));
    }
    *chosen[i] = names[i];
  }
  return {};
}

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
  if (Result<void> swept = choose_sweep(selection, workspace.scene(), options.sweep); !swept)
    return swept;
  if (!options.devices.empty())
    selection.sweep_devices =
        options.devices == "table" ? SweepDevices::table : SweepDevices::lines;
  if (options.pins.size() > 2) {
    return failure(ErrorKind::usage, "two points can be pinned, A and B",
                   std::to_string(options.pins.size()) + " variants to pin",
                   "name --pin once or twice");
  }
  for (const std::string& pinned : options.pins) {
    if (auto variant = find_variant_or_explain(workspace.scene(), pinned); !variant)
      return tl::unexpected(variant.error());
    PinnedPoint point = pin_here(workspace.view(), pinned);
    // Nobody presses its button: what the emulator has no text of says so in its place.
    workspace.requests.ask(request::Trace{pinned, {{point.axes}}});
    (selection.pins.a ? selection.pins.b : selection.pins.a) = std::move(point);
  }
  return {};
}

// Diagrams show the selection, recorded or not: until its traces have come.
void wait_for_traces(Workspace& workspace) {
  workspace.update();
  constexpr double kTraceLimitS = 60;
  const auto start = std::chrono::steady_clock::now();
  while (workspace.view().progress().busy &&
         std::chrono::steady_clock::now() - start < std::chrono::duration<double>(kTraceLimitS)) {
    workspace.wait(0.05);
    workspace.update();
  }
}

// What Source asks for in the window: what its kernel is compiled to.
void wait_for_listing(Workspace& workspace) {
  const SessionView view = workspace.view();
  const std::string& variant = workspace.selection.variant;
  std::string step;
  if (const Measurement* point = view.state(variant).point; point != nullptr) {
    const auto runs =
        std::find_if(point->steps.begin(), point->steps.end(), [](const StepRecord& record) {
          return record.kind == "kernel" && record.phase == Phase::run;
        });
    if (runs != point->steps.end()) step = runs->name;
  }
  const Trace* trace = trace_state(view, variant).trace;
  if (step.empty() && trace != nullptr) step = trace->step;
  workspace.requests.ask(request::Listing{variant, step, architecture_of(view)});
  wait_for_traces(workspace);
}

Result<void> no_such_panel(const std::string& panel, std::vector<std::string> names) {
  for (const PanelRow& row : all_panels()) names.emplace_back(row.name);
  return failure(ErrorKind::usage, "there is no panel of this name", "panel " + panel,
                 suggest(panel, names));
}

Result<void> check_names(const RenderOptions& options) {
  const bool window = options.panel == "window";
  if (!window && find_panel(options.panel) == nullptr)
    return no_such_panel(options.panel, {"window"});
  for (const std::string& front : options.fronts) {
    if (find_panel(front) == nullptr) return no_such_panel(front, {});
  }
  if (!window && !(options.layout.empty() && options.fronts.empty()))
    return failure(ErrorKind::usage, "a panel drawn alone has no layout", "--layout, --front",
                   "leave them out, or draw the window with --panel window");
  std::vector<std::string> names;
  for (const ShippedLayout& layout : shipped_layouts()) names.emplace_back(layout.name);
  if (!options.layout.empty() &&
      std::find(names.begin(), names.end(), options.layout) == names.end())
    return failure(ErrorKind::usage, "there is no layout of this name", "layout " + options.layout,
                   suggest(options.layout, names));
  return {};
}

}  // namespace

Result<std::unique_ptr<Workspace>> open_to_render(const RenderOptions& options) {
  std::string session = options.session;
  if (session.empty()) {
    const auto recorded = recorded_sessions();
    if (const auto home = home_folder(); !home) return tl::unexpected(home.error());
    if (recorded.empty())
      return failure(ErrorKind::environment, "there is no recorded session", "render",
                     "name a .wsj or .wsj.gz file");
    session = recorded_session_of(options.scene).value_or(recorded.back()).string();
  }
  auto workspace = std::make_unique<Workspace>(std::vector<std::string>{}, emulator_command({}),
                                               options.catalogue);
  std::vector<std::filesystem::path> sessions = {session};
  sessions.insert(sessions.end(), options.joined.begin(), options.joined.end());
  if (Result<void> opened = workspace->open(sessions); !opened)
    return tl::unexpected(opened.error());
  if (Result<void> chosen = choose(options, *workspace); !chosen)
    return tl::unexpected(chosen.error());
  wait_for_traces(*workspace);
  const bool source =
      options.panel == "source" ||
      std::find(options.fronts.begin(), options.fronts.end(), "source") != options.fronts.end();
  if (source) wait_for_listing(*workspace);
  return workspace;
}

Result<void> render(const RenderOptions& options) {
  if (Result<void> known = check_names(options); !known) return known;
  const Result<std::unique_ptr<Workspace>> workspace = open_to_render(options);
  return workspace ? render(**workspace, options) : tl::unexpected(workspace.error());
}

Result<void> render(Workspace& workspace, const RenderOptions& options) {
  if (Result<void> known = check_names(options); !known) return known;
  const SlideOptions slide{options.panel,
                           options.width,
                           options.height,
                           options.margin,
                           static_cast<float>(options.scale),
                           options.theme,
                           options.out};
  FrameState state;
  state.theme = options.theme;
  if (!options.layout.empty()) {
    state.docks.book.chosen = options.layout;
    state.docks.present = layout_named(state.docks.book, options.layout);
    state.docks.fronts_changed = true;
  }
  state.more_tabs = options.fronts;
  return write_slide(slide, workspace, {}, state);
}

}  // namespace warpscope
