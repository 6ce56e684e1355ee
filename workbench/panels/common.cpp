// workbench/panels/common.cpp: the table of panels and what they share.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <string_view>

#include "profiling/grading/exercise.h"
#include "profiling/session/remedy.h"
#include "profiling/tuning/choice_story.h"
#include "scenes/base/texts/code_id.h"
#include "workbench/panels/outcome.h"
#include "workbench/panels/panels.h"
#include "workbench/panels/picture_columns.h"
#include "workbench/panels/terms.h"

namespace warpscope {
namespace {

// Whether one of these curves or pictures is of the scene.
template <typename Message>
bool leaves(const std::vector<const Message*>& outcomes, const Scene& scene) {
  return std::any_of(outcomes.begin(), outcomes.end(),
                     [&](const Message* message) { return message->point.scene == scene.name; });
}

constexpr const char* kNeedsGpu = "this needs a GPU: `warpscope measure` records it on one";

bool in_every_scene(const SessionView&) { return true; }
bool is_a_file(const SessionView& view) {
  return view.shown.catalogue().is_of_file(view.shown.name());
}

bool has_a_choice(const SessionView& view) { return variant_by_costs(view.scene()) != nullptr; }

bool is_an_exercise(const SessionView& view) {
  const std::filesystem::path& folder = view.shown.folder();
  std::error_code ignored;
  return !folder.empty() && std::filesystem::exists(folder / kExerciseFile, ignored);
}

#define PANEL(name, title, region, key, State, belongs)              \
  PanelRow{#name,                                                    \
           title,                                                    \
           Region::region,                                           \
           key,                                                      \
           [](const PanelContext& c, Selection& s, PanelStates& p) { \
             draw_##name##_panel(c, s, p.name);                      \
           },                                                        \
           belongs},
constexpr PanelRow kPanels[] = {WARPSCOPE_PANELS(PANEL)};
#undef PANEL

template <typename State>
TableFilter* filter_of(State& state) {
  if constexpr (requires { state.filter; }) return &state.filter;
  return nullptr;
}

template <typename State>
void add_views(State& state, std::vector<PlotView*>& views) {
  const auto add = [&views](PlotView& view) { views.push_back(&view); };
  if constexpr (requires { add(state.view); }) add(state.view);
  if constexpr (requires { add(state.cold), add(state.warm); }) add(state.cold), add(state.warm);
}

// Whole words for a picture, where nothing can be hovered: a little smaller, else in lines.
void draw_whole_text(const std::string& text, float width) {
  constexpr float kSmallest = 0.8f;
  const float wanted = ImGui::CalcTextSize(text.c_str()).x;
  const float ratio = wanted > 0 ? width / wanted : 1;
  const float size = ImGui::GetFontSize() * std::clamp(ratio, kSmallest, 1.0f);
  ImGui::PushFont(nullptr, size);
  const float room = std::max(width, ImGui::GetFontSize());
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + room + 1);
  ImGui::TextUnformatted(in_lines(text, room).c_str());  // a number stays with its unit
  ImGui::PopTextWrapPos();
  ImGui::PopFont();
}

bool ends_in_digit(std::string_view word) {
  return !word.empty() && word.back() >= '0' && word.back() <= '9';
}

// Whether a text goes on with the unit of the number before it.
bool begins_with_unit(std::string_view text) {
  constexpr std::array<std::string_view, 26> kUnits = {
      "%",  "ns",   "µs",   "ms",   "s",       "B",       "kB",    "MB",    "GB",
      "TB", "kB/s", "MB/s", "GB/s", "TB/s",    "FLOP",    "MFLOP", "GFLOP", "TFLOP",
      "Hz", "MHz",  "GHz",  "M",    "GFLOP/s", "TFLOP/s", "k",     "G"};
  const std::string_view word = text.substr(0, text.find_first_of(" \n,;:.)"));
  return std::find(kUnits.begin(), kUnits.end(), word) != kUnits.end();
}

}  // namespace

bool leaves_curves(const SessionView& view) {
  return !view.scene().curves.empty() || view.scene().training ||
         leaves(view.session().outcomes().series(), view.scene());
}

std::string without_kernel(const PanelContext& context, const Variant& variant,
                           const std::string& of_library) {
  const SessionView& view = context.view;
  const Scene& scene = view.scene();
  // Steps that are functions of the inputs are those of libraries.
  const bool on_host =
      !scene.steps_need_facts &&
      runs_on_host_alone(variant, {for_variant(scene.axes, view.selection.axes, variant.name), {}});
  return variant.label + (on_host ? " runs on the processor: it has no kernel." : of_library);
}

bool leaves_pictures(const SessionView& view) {
  return !view.scene().pictures.empty() || view.scene().pixel_maps != nullptr ||
         view.scene().training || leaves(view.session().outcomes().pictures(), view.scene());
}

std::span<const PanelRow> all_panels() { return kPanels; }

const PanelRow* find_panel(const std::string& name) {
  const auto found = std::find_if(std::begin(kPanels), std::end(kPanels),
                                  [&](const PanelRow& row) { return name == row.name; });
  return found == std::end(kPanels) ? nullptr : found;
}

TableFilter* table_filter(PanelStates& panels, const std::string& panel) {
#define PANEL(name, title, region, key, State, belongs) \
  if (panel == #name) return filter_of(panels.name);
  WARPSCOPE_PANELS(PANEL)
#undef PANEL
  return nullptr;
}

std::vector<PlotView*> plot_views(PanelStates& panels) {
  std::vector<PlotView*> views;
#define PANEL(name, title, region, key, State, belongs) add_views(panels.name, views);
  WARPSCOPE_PANELS(PANEL)
#undef PANEL
  return views;
}

int variant_index(const Scene& scene, const std::string& variant) {
  for (std::size_t i = 0; i < scene.variants.size(); ++i) {
    if (scene.variants[i].name == variant) return static_cast<int>(i);
  }
  return 0;
}

void explain_missing(const std::string& reason, const std::string& remedy) {
  // A dash is small: the whole cell that it stands in explains it.
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  const float end = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  if (!ImGui::IsWindowHovered() ||
      !ImGui::IsMouseHoveringRect(low, {std::max(high.x, end), high.y}))
    return;
  ImGui::SetTooltip("%s%s%s", reason.empty() ? "no reason was recorded" : reason.c_str(),
                    remedy.empty() ? "" : "\n", remedy.c_str());
}

std::vector<bool> columns_left_out(std::span<const ColumnRoom> columns,
                                   std::span<const int> first_to_go) {
  const float scrollbar = for_slides() ? 0 : ImGui::GetStyle().ScrollbarSize;
  const float room = ImGui::GetContentRegionAvail().x - scrollbar;
  const float rim = 2 * ImGui::GetStyle().CellPadding.x + 1;
  float needed = 0;
  for (const ColumnRoom& column : columns) needed += column.width + rim;
  if (needed <= room) return {};
  std::vector<bool> left_out(columns.size(), false);
  int count = 0;
  std::string names;
  for (const int column : first_to_go) {
    if (needed <= room) break;
    const auto at = static_cast<std::size_t>(column);
    left_out[at] = true;
    needed -= columns[at].width + rim;
    names += (count++ > 0 ? ", " : "") + std::string(columns[at].name);
  }
  if (for_slides()) {
    ImGui::TextDisabled("%d of %zu columns left out: a wider picture shows them", count,
                        columns.size());
    return left_out;
  }
  ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetColorU32(ImGuiCol_TextDisabled));
  draw_fitting_text("no room for: " + names, ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip(
        "The panel is too narrow for: %s.\nThe CSV has them, and so has a right click on a row.",
        names.c_str());
  return left_out;
}

std::string missing_time(const PanelContext& context, const std::string& variant,
                         CacheState cache) {
  const SessionView& view = context.view;
  const PointState state = view.state(variant);
  const std::string run = view.recorded() ? "" : ": press run";
  if (state.point == nullptr) {
    if (state.freshness == Freshness::pending) return "being measured";
    if (!view.recorded()) return "not measured at this configuration" + run;
    if (view.is_emulated_alone()) return kNeedsGpu;
    const std::string where = view.points.not_recorded();
    return where.empty() ? "the recorded session has no measurement of it at this configuration"
                         : where;
  }
  const Verdict& verdict = state.point->verdict;
  if (!has_figures(verdict.outcome)) {
    return std::string(to_text(verdict.outcome)) + ": " + verdict.sentence +
           (verdict.remedy.empty() ? "" : "; " + verdict.remedy);
  }
  const std::string which = std::string("no ") + to_text(cache) + " samples";
  return state.freshness == Freshness::pending ? which + " yet: they are being taken"
         : view.recorded()                     ? which + " were recorded"
                                               : which + " were taken" + run;
}

void draw_nearest_stop(const PanelContext& context, Selection& selection) {
  const RecordedStops* stops = context.view.points.stops();
  if (stops == nullptr || stops->recorded || !stops->nearest) return;
  std::string values;
  for (const AxisMove& move : stops->nearest->moves)
    values += (values.empty() ? "" : ", ") + move.axis + "=" + to_text(move.to);
  const float room = ImGui::GetContentRegionAvail().x - 2 * ImGui::GetStyle().FramePadding.x;
  std::string words = "go to the nearest stop: " + values;
  if (ImGui::CalcTextSize(words.c_str()).x > room) words = "go to " + values;
  if (ImGui::CalcTextSize(words.c_str()).x > room) words = "go to the nearest stop";
  if (tool_button((words + "###nearest").c_str())) selection.axes = stops->nearest->axes;
  if (ImGui::IsItemHovered()) {
    ImGui::SetTooltip("The nearest configuration that is recorded:\n%s",
                      words_of(stops->nearest->moves).c_str());
  }
}

void draw_remedy(const PanelContext& context, Selection& selection, const std::string& variant) {
  const SessionView& view = context.view;
  const Measurement* point = view.state(variant).point;
  if (point == nullptr || !may_have_remedy(point->verdict.outcome)) return;
  const std::optional<AxisChange> change = view.points.remedy(*point);
  if (!change) return;
  const auto changed = with_values(view.scene().axes, selection.axes, change->values);
  if (tool_button((change->sentence + "##remedy").c_str()) && changed) selection.axes = *changed;
  if (!ImGui::IsItemHovered()) return;
  std::string values;
  for (const auto& [axis, text] : change->values)
    values += (values.empty() ? "" : ", ") + axis + " = " + text;
  ImGui::SetTooltip("Sets %s; undo takes it back.", values.c_str());
}

void explain_no_outcome(const PanelContext& context, Selection& selection, const std::string& name,
                        const std::string& what, bool scene_has_some) {
  const Variant* variant = find_variant(context.view.scene(), name);
  if (variant == nullptr) return;
  if (!scene_has_some) {
    return draw_note(context.style, "The runs of this scene leave no " + what +
                                        "s: choose a scene "
                                        "whose runs do.");
  }
  if (context.view.scene().training) {
    return draw_note(context.style, "No " + what + " of " + variant->label +
                                        " yet: a training makes them. Start one above the curves.");
  }
  const Measurement* point = panel_heading(context, selection, name);
  if (point == nullptr || !has_figures(point->verdict.outcome)) return;
  draw_note(context.style, variant->label + " was measured here and left no " + what +
                               (context.view.recorded() ? ": the session was recorded without it."
                                                        : ": press run to take it."));
}

std::string earlier_source(const SessionView& view, const PointId& point,
                           const std::string& code_id, const Measurement* measured) {
  Measurement left;
  if (measured != nullptr) left = *measured;
  left.scene = point.scene;
  left.variant = point.variant;
  left.conditions.code_id = code_id;
  if (measured == nullptr)
    left.axes = for_variant(view.scene().axes, view.selection.axes, point.variant);
  return view.points.earlier_source(left);
}

void draw_age(const Style& style, const std::string& words) {
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.warning);
  draw_fitting_text(words, ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
}

std::string delay_text(const EngineDelay& delay) {
  return delay.words + (delay.held ? "" : "; “start the engine anew” in Engine ends it now");
}

void draw_note(const Style& style, const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.muted);
  draw_sentence(text);
  ImGui::PopStyleColor();
}

bool tool_button(const char* text) {
  if (!for_slides()) return ImGui::Button(text);
  ImGui::Dummy({0, 0});  // what stands beside it keeps its line
  return false;
}

bool small_tool_button(const char* text) {
  return for_slides() ? tool_button(text) : ImGui::SmallButton(text);
}

bool begin_tool_combo(const char* id, const char* chosen) {
  if (!for_slides()) return ImGui::BeginCombo(id, chosen);
  ImGui::TextDisabled("%s", chosen);
  return false;
}

std::string in_lines(const std::string& text, float width) {
  std::string lines;
  std::size_t line = 0;  // where the last one begins …
  float wide = 0;        // … and how wide it is. Letters stand beside each other: widths add up.
  const auto width_of = [](const std::string& words) {
    return ImGui::GetFont()
        ->CalcTextSizeA(ImGui::GetFontSize(), std::numeric_limits<float>::max(), 0, words.c_str())
        .x;
  };
  const float space = width_of(" ");
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    // A number and its unit stay together: "91.00 %".
    while (end < text.size() && text[end] == ' ' && ends_in_digit(text.substr(at, end - at)) &&
           begins_with_unit(std::string_view(text).substr(end + 1)))
      end = std::min(text.find_first_of(" \n", end + 1), text.size());
    const std::string word = text.substr(at, end - at);
    const float more = width_of(word);
    if (lines.size() > line) {
      const bool fits = std::ceil(wide + space + more) <= width;
      lines += fits ? ' ' : '\n';
      if (!fits) line = lines.size();
      wide = fits ? wide + space : 0;
    }
    lines += word;
    wide += more;
    if (end < text.size() && text[end] == '\n') {
      lines += '\n';
      line = lines.size();
      wide = 0;
    }
    at = end + 1;
  }
  return lines;
}

void draw_paragraph(const std::string& text) {
  const std::string lines = in_lines(text, ImGui::GetContentRegionAvail().x);
  ImGui::TextUnformatted(lines.c_str());
  explain_terms(lines);
}

std::string fitting(const std::string& text, float width) {
  if (ImGui::CalcTextSize(text.c_str()).x <= width) return text;
  // What of it has room before the ellipsis, in whole characters.
  const float room = std::max(0.0f, width - ImGui::CalcTextSize("…").x);
  const char* rest = text.c_str();
  ImGui::GetFont()->CalcTextSizeA(ImGui::GetFontSize(), room, 0, text.c_str(),
                                  text.c_str() + text.size(), &rest);
  std::string cut = text.substr(0, static_cast<std::size_t>(rest - text.c_str()));
  // One ellipsis where the text has one of its own there.
  const std::string_view own = "…";
  while (!cut.empty() && (cut.back() == ' ' || cut.ends_with(own)))
    cut.resize(cut.size() - (cut.back() == ' ' ? 1 : own.size()));
  return cut + "…";
}

void draw_fitting_text(const std::string& text, float width) {
  if (for_slides()) return draw_whole_text(text, width);
  const std::string cut = fitting(text, width);
  ImGui::TextUnformatted(cut.c_str());
  if (cut.size() == text.size() || !ImGui::IsItemHovered()) return;
  constexpr float kMostRatio = 0.9f;  // of the window's width, beyond which the words are wrapped
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(kMostRatio * ImGui::GetIO().DisplaySize.x);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

const std::optional<Timing>& timing_of(const Measurement& measurement, CacheState cache) {
  return cache == CacheState::cold ? measurement.cold : measurement.warm;
}

const Measurement* panel_heading(const PanelContext& context, Selection& selection,
                                 const std::string& name) {
  const Style& style = context.style;
  const SessionView& view = context.view;
  const Variant* variant = find_variant(view.scene(), name);
  if (variant == nullptr) {
    draw_note(style, "Nothing is selected: click a variant in the list.");
    return nullptr;
  }
  const PointState state = view.state(name);
  if (state.point == nullptr && view.is_emulated_alone()) {
    ImGui::TextDisabled("–");
    explain_missing(kNeedsGpu);
    return nullptr;
  }
  if (state.point == nullptr) {
    const std::string where = view.points.not_recorded();
    draw_note(style, state.freshness == Freshness::pending ? variant->label + " is being measured …"
                     : !where.empty()
                         ? "– " + where + "."
                         : variant->label + " has no measurement at this configuration" +
                               (view.recorded() ? " in the recorded session." : ": press run."));
    draw_nearest_stop(context, selection);
    return nullptr;
  }
  const Verdict& verdict = state.point->verdict;
  if (verdict.outcome == Outcome::no_reference) {
    draw_note(style, verdict_text(verdict.outcome) + ": " + verdict.sentence);
  } else if (verdict.outcome != Outcome::correct) {
    ImGui::PushStyleColor(ImGuiCol_Text, verdict_colour(style, verdict.outcome));
    ImGui::TextUnformatted((verdict_text(verdict.outcome) + "  " + variant->label).c_str());
    ImGui::PopStyleColor();
    draw_sentence(verdict.sentence);
    if (!verdict.remedy.empty()) draw_note(style, verdict.remedy);
    draw_remedy(context, selection, name);
    return state.point;
  }
  if (!state.apart.empty() || state.freshness == Freshness::pending) {
    draw_age(style, state.apart.empty() ? "… a newer measurement is on its way"
                    : state.freshness == Freshness::pending
                        ? "… being measured; shown until then: " + state.apart
                        : "○ " + state.apart + ": it is not compared");
  }
  return state.point;
}

void forget_hidden(PanelStates& panels, const std::function<bool(const char* panel)>& is_shown) {
  const auto forget_findings = [](FindingsPanel& findings) {
    findings.of.clear();
    findings.list = FindingList{};
  };
  if (!is_shown("findings")) forget_findings(panels.findings);
  if (!is_shown("overview")) forget_findings(panels.overview.findings);
  if (!is_shown("coalescing")) {
    panels.coalescing.costs.forget();
    panels.coalescing.multiples.found.forget();
  }
  if (!is_shown("banks")) {
    panels.banks.costs.forget();
    panels.banks.multiples.found.forget();
  }
  if (!is_shown("divergence")) panels.divergence.story.forget();
  if (!is_shown("choice")) panels.choice.kept.reset();
  if (!is_shown("sweep")) panels.sweep.expected.reset();
  if (!is_shown("compare")) panels.compare.rows.forget();
  if (!is_shown("steps")) panels.steps.rows.forget();
  if (!is_shown("curves")) panels.curves.thinned.clear();
  if (!is_shown("warp_map")) {
    WarpMapPanel& map = panels.warp_map;
    map.story.forget();
    map.of.forget();
    map.in_view.forget();
    // Assigned, for a vector that is cleared keeps its memory.
    map.accesses = std::vector<ElementAccess>();
    map.tiles = std::vector<MapTile>();
    map.runs = std::vector<WriterRun>();
  }
  if (!is_shown("pictures")) {
    panels.pictures.reduced.clear();
    panels.pictures.maps.of.forget();
    panels.pictures.maps.maps = PixelMaps{};
  }
  if (!is_shown("sweep")) {
    panels.sweep.found.clear();
    panels.sweep.found_for.forget();
  }
  if (!is_shown("source")) {
    for (ListedColumn* const column : {&panels.source.ptx, &panels.source.machine})
      *column = ListedColumn{};
    panels.source.compared.forget();
  }
}

}  // namespace warpscope
