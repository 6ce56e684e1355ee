// workbench/panels/overview/overview_panel.cpp: what a stranger sees first: what limits the
// variant, where its bytes go, what it does, the line that causes the limit, what to look at next.
#include <imgui.h>

#include <algorithm>
#include <string>
#include <vector>

#include "profiling/agreement/trace_metrics.h"
#include "profiling/overview/costly_trace.h"
#include "profiling/overview/overview.h"
#include "profiling/overview/stall_reasons.h"
#include "profiling/points/point.h"
#include "scenes/base/source.h"
#include "scenes/catalogue.h"
#include "workbench/drawing/focus.h"
#include "workbench/panels/figures/metric_lines.h"
#include "workbench/panels/overview/memory_chart.h"
#include "workbench/panels/overview/overview_fit.h"
#include "workbench/panels/overview/overview_scene.h"
#include "workbench/panels/panels.h"
#include "workbench/panels/roofline/roofline_labels.h"
#include "workbench/panels/source/source_editor.h"
#include "workbench/panels/source/source_text.h"
#include "workbench/panels/stalls/stall_bars.h"
#include "workbench/panels/stalls/stall_causes.h"
#include "workbench/workspace/scene/kernel_files.h"
#include "workbench/workspace/scene/scene_words.h"
#include "workbench/workspace/selection/trace_steps.h"
#include "workbench/workspace/trace_state.h"

namespace warpscope {
namespace {

// All that the sentences are of, found once a frame.
struct ShownPoint {
  const Variant* variant = nullptr;
  PointState state;
  const Measurement* point = nullptr;  // correct, else null
  double time_ns = 0;                  // 0: no such samples
  RoofJoin join;
  std::optional<RooflineStanding> standing;
  std::vector<MetricValue> emulated;
  const Trace* trace = nullptr;  // of this point and of the text as it stands, or the last good one
  bool earlier = false;          // the trace is of the last good one
  CostlyLine line;
  std::vector<MetricValue> nothing = {};  // measured of a point that is not there
  PointFigures figures() const { return {point != nullptr ? point->metrics : nothing, emulated}; }
  // A share of the bytes that are the cost; empty if another figure is.
  std::optional<UsedBytes> used() const {
    return line.figure == "sectors" ? used_bytes(trace, point != nullptr ? point->steps.size() : 1)
                                    : std::nullopt;
  }
};

// The line that causes the limit; none is named for an earlier text of the kernel.
CostlyLine line_of(const PanelContext& context, const ShownPoint& shown) {
  const StepRecord* step = shown.point != nullptr ? costly_step(*shown.point) : nullptr;
  const std::optional<Level> binding =
      shown.standing ? shown.standing->binding : std::optional<Level>();
  const std::string_view figure = figure_behind(binding, shared_ratio(shown.figures()));
  const bool earlier = step != nullptr && !context.view.files.earlier_text(*step).empty();
  const std::string file = step != nullptr          ? step->source
                           : shown.trace != nullptr ? shown.trace->source
                                                    : "";
  return costly_line(figure, shown.trace, step == nullptr || earlier ? nullptr : &step->lines,
                     file);
}

ShownPoint shown_point(const PanelContext& context, const Selection& selection,
                       const Variant& variant) {
  const SessionView& view = context.view;
  ShownPoint shown;
  shown.variant = &variant;
  shown.state = view.state(variant.name);
  if (shown.state.point != nullptr && has_figures(shown.state.point->verdict.outcome))
    shown.point = shown.state.point;
  const StepRecord* step = shown.point != nullptr ? costly_step(*shown.point) : nullptr;
  const PointId& id = view.point_id(variant.name);
  const std::string& name = step != nullptr ? step->name : selection.step;
  if (!name.empty()) shown.trace = view.session().trace(id, name);
  if (shown.trace == nullptr && step == nullptr) shown.trace = costly_trace(view.session(), id);
  // While the text has a mistake, the last good one stays, and says so (draw_mistake).
  shown.earlier = shown.trace != nullptr && !view.files.earlier_text(*shown.trace).empty();
  if (shown.earlier && mistakes_in(view, variant.name).empty()) shown.trace = nullptr;
  if (shown.point != nullptr) {
    shown.join = view.points.roofs_of(shown.point->conditions);
    shown.emulated = modelled_beside(view.session(), *shown.point);
    const std::optional<Timing>& timing = timing_of(*shown.point, selection.cache);
    if (timing) shown.time_ns = timing->median_ns;
    shown.standing =
        stand(*shown.point, selection.cache,
              shown.join.roofs != nullptr ? *shown.join.roofs : RoofSet{}, shown.emulated);
  } else if (shown.trace != nullptr) {
    shown.emulated = shown.trace->metrics;
  }
  shown.line = line_of(context, shown);
  return shown;
}

// A part of the panel: a quiet title, and what is drawn beside it, below it where there is no room.
template <typename Draw>
void part(const Style& style, const char* title, Draw draw) {
  const float label = ImGui::CalcTextSize("responsible line").x + style.unit(2);
  const bool beside = ImGui::GetContentRegionAvail().x > label + style.unit(38);
  const ImVec2 at = ImGui::GetCursorPos();
  ImGui::TextDisabled("%s", title);
  if (beside) ImGui::SetCursorPos({at.x + label, at.y});
  ImGui::BeginGroup();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing,
                      {ImGui::GetStyle().ItemSpacing.x, style.unit(0.3f)});
  draw();
  ImGui::PopStyleVar();
  ImGui::EndGroup();
  ImGui::Dummy({0, style.unit(0.25f)});
}

// What is wrong on purpose gets no rank if it is right by luck.
bool may_be_luck(const ShownPoint& shown, const Measurement& point) {
  const Configuration& axes = point.axes;
  return shown.variant->expected_fault && axes.has("broken") && axes.text("broken") == "on";
}

// The time beside that of a baseline with a name, or why they are not compared.
void draw_beside_named(const Style& style, const Selection& selection, const ShownPoint& shown,
                       const Measurement& point, const NamedBaseline& named) {
  Comparison against;
  std::string why = shown.state.apart;
  if (why.empty()) {
    against = compare_times(named.point, point, selection.cache);
    constexpr std::string_view kPrefix = "not comparable: ";
    if (against.difference == Difference::not_comparable) why = against.sentence;
    if (why.starts_with(kPrefix)) why.erase(0, kPrefix.size());
  }
  if (!why.empty() || may_be_luck(shown, point)) against.ratio = 0;
  draw_paragraph(time_sentence(point, selection.cache, "“" + named.name + "”", against));
  if (!why.empty())
    draw_note(style, "Not compared with the baseline “" + named.name + "”: " + why + ".");
}

void draw_does(const PanelContext& context, Selection& selection, const ShownPoint& shown) {
  const Style& style = context.style;
  const SessionView& view = context.view;
  const float line = ImGui::GetTextLineHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const int index = variant_index(view.scene(), shown.variant->name);
  ImDrawList* list = ImGui::GetWindowDrawList();
  // A row that the lower edge cuts through is left out as a whole, its marker too.
  if (at.y + line <= list->GetClipRectMax().y) {
    draw_marker(list, {at.x + line * 0.4f, at.y + line / 2}, line * 0.32f, variant_marker(index),
                variant_colour(style, index), Fill::solid);
  }
  ImGui::Dummy({line, line});
  ImGui::SameLine(0, style.unit(0.25f));
  ImGui::TextUnformatted(shown.variant->label.c_str());
  draw_paragraph(view.words.of(shown.variant->sentence));
  if (shown.state.point == nullptr && view.is_emulated_alone()) return;
  const Measurement* point = panel_heading(context, selection, shown.variant->name);
  if (point == nullptr || !has_figures(point->verdict.outcome)) return;
  if (shown.time_ns <= 0) {
    return draw_note(
        style, "No time: " + missing_time(context, shown.variant->name, selection.cache) + ".");
  }
  if (const NamedBaseline* named = chosen_baseline(selection.baselines))
    return draw_beside_named(style, selection, shown, *point, *named);
  const std::string& name = view.points.baseline_id(shown.variant->name).variant;
  const Variant* baseline = find_variant(view.scene(), name);
  const bool own = name == shown.variant->name && selection.baseline_device.empty();
  Comparison against;
  const PointState held = view.points.baseline_state(shown.variant->name);
  if (!own && held.point != nullptr && held.apart.empty() && shown.state.apart.empty() &&
      selection.baseline_device.empty())
    against = compare_times(*held.point, *point, selection.cache);
  if (may_be_luck(shown, *point) || against.difference == Difference::not_comparable)
    against.ratio = 0;
  draw_paragraph(time_sentence(*point, selection.cache,
                               own || baseline == nullptr ? "" : baseline->label, against));
}

void draw_binds(const PanelContext& context, const ShownPoint& shown) {
  const Style& style = context.style;
  if (shown.point == nullptr || shown.time_ns <= 0)
    return draw_note(style,
                     "What limits it is unknown: there is no time. The chart shows what is known.");
  if (shown.join.roofs == nullptr)
    return draw_note(style,
                     shown.join.words.empty() ? without_roofs(context.view) : shown.join.words);
  if (!shown.standing) return;
  const BindingWords words =
      binding_words(*shown.point, context.view.selection.cache, *shown.standing, shown.used());
  if (!words.figure.empty()) {
    const auto with = [&words](const std::string& more) {
      return words.figure + (more.empty() ? "" : " " + more);
    };
    push_face(style.large);
    const float room = ImGui::GetContentRegionAvail().x;
    const auto fits = [room](const std::string& text) {
      return ImGui::CalcTextSize(text.c_str()).x <= room;
    };
    const bool whole = fits(with(words.of)), brief = !whole && fits(with(words.brief));
    ImGui::TextUnformatted(with(whole ? words.of : brief ? words.brief : "").c_str());
    ImGui::PopFont();
    const std::string& below = brief ? words.below : words.of;
    if (!whole && !below.empty()) draw_paragraph(below);
  }
  draw_paragraph(words.sentence);
  if (!shown.join.words.empty()) draw_note(style, shown.join.words);
}

// The text of a line without what indents it; empty where the file has no such line.
std::string code_at(const Catalogue& catalogue, const std::string& file, int line) {
  const Result<KernelSource> source = catalogue.kernel(file);
  if (!source) return "";
  std::size_t begin = 0;
  for (int i = 1; i < line && begin != std::string::npos; ++i) {
    const std::size_t end = source->text.find('\n', begin);
    begin = end == std::string::npos ? end : end + 1;
  }
  if (begin == std::string::npos) return "";
  const std::string code = source->text.substr(begin, source->text.find('\n', begin) - begin);
  const std::size_t first = code.find_first_not_of(' ');
  return first == std::string::npos ? "" : code.substr(first);
}

// What a person does with an idea of their own.
std::string edit_sentence(const SessionView& view, const std::string& file) {
  const bool own = view.is_own();
  if (!own && !built_in_catalogue().find(view.shown.name()))
    return "To try an idea, open its file: this session has a copy of the text.";
  const std::string start = (own ? "To try an idea, edit " + kernel_file(view, file)
                                 : "To try an idea, fork it in Source, or edit kernels/" + file) +
                            " and save it: ";
  if (view.has_device())
    return start + "it is compiled, checked against the reference and measured again.";
  return start + (view.engines.has_emulator()
                      ? "it is compiled and emulated again. A time needs a GPU."
                      : "it is compiled and checked again if there is a CUDA Toolkit.");
}

void draw_cause(const PanelContext& context, Selection& selection, const ShownPoint& shown) {
  const Style& style = context.style;
  const CostlyLine& line = shown.line;
  if (line.line == 0) {
    const bool pending =
        trace_state(context.view, shown.variant->name).freshness == Freshness::pending;
    return draw_note(
        style, !shown.variant->own_kernels
                   ? without_kernel(context, *shown.variant,
                                    " is a library's own kernel: its text is not ours to show.")
               : pending ? "Its kernel is being emulated: the line follows."
                         : "Not known yet: " + line.reason +
                               (line.remedy.empty() ? "." : "; " + line.remedy + "."));
  }
  const StepRecord* step = shown.point != nullptr ? costly_step(*shown.point) : nullptr;
  const bool several = step != nullptr && shown.point->steps.size() > 1;
  draw_paragraph(cause_sentence(line, several ? step->name : ""));
  if (shown.earlier)  // its lines are not those of the text as it stands
    return draw_note(style,
                     "This is line " + std::to_string(line.line) + " of the last good text.");
  const std::string number = std::to_string(line.line);
  push_face(style.mono);
  const float room = ImGui::GetContentRegionAvail().x - 2 * ImGui::GetStyle().FramePadding.x;
  const std::string code =
      number + "  " + code_at(context.view.shown.catalogue(), line.file, line.line);
  ImGui::PushStyleVar(ImGuiStyleVar_ButtonTextAlign, {0, 0.5f});
  if (for_slides()) {
    draw_fitting_text(code, room);
  } else if (ImGui::Button((fitting(code, room) + "###cause").c_str(),
                           {ImGui::GetContentRegionAvail().x, 0})) {
    selection.show_source = {line.file, line.line};
    selection.wanted_panel = "source";
  }
  ImGui::PopStyleVar();
  ImGui::PopFont();
  if (ImGui::IsItemHovered()) {
    ImGui::SetTooltip("kernels/%s, line %s: a click shows it in Source.\n%s", line.file.c_str(),
                      number.c_str(), edit_sentence(context.view, line.file).c_str());
  }
}

// What its warps wait for by counters, and those of the baseline.
std::vector<StallBar> counted_waits(const PanelContext& context, const Selection& selection,
                                    const ShownPoint& shown) {
  if (shown.point == nullptr || !shown.state.apart.empty()) return {};
  const Measurement* base = base_of(context, selection, *shown.point).point;
  return stall_bars_beside(context, *shown.point, stalls_of(context.view, shown.point->metrics),
                           base,
                           base != nullptr ? stalls_of(context.view, base->metrics) : std::nullopt);
}

// The first sentence about what its warps wait for, where a click shows the line and the access,
// and the stall reasons that were counted.
void draw_waits(const PanelContext& context, Selection& selection, const ShownPoint& shown,
                std::shared_ptr<KeptStalls>& kept) {
  const std::string step = shown.trace != nullptr ? shown.trace->step : "";
  const KnownStalls known = stalls_once(context, shown.variant->name, step, kept);
  const bool found = known.report != nullptr && !known.report->findings.empty();
  const StallFinding* first = found ? &known.report->findings.front() : nullptr;
  const std::vector<StallBar> bars = counted_waits(context, selection, shown);
  if (first == nullptr && bars.empty()) return;
  part(context.style, "why it waits", [&] {
    draw_paragraph(first != nullptr ? first->sentence
                                    : first_sentence(stall_sentence(*bars.front().stalls)));
    if (!bars.empty()) draw_stall_bars(context.style, bars);
    if (first == nullptr || for_slides()) return;
    if (tool_button("show the cause")) show_stall(selection, *known.trace, *first);
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("%s\n%s", known.report->basis.c_str(), first->remedy.c_str());
  });
}

// What is wrong or wasteful in a kernel that no time judges: its worst finding, and the panel that
// has all of them.
void draw_findings(const PanelContext& context, Selection& selection, const ShownPoint& shown,
                   FindingsPanel& kept) {
  const std::vector<Finding>& findings = findings_once(*shown.trace, kept).findings;
  if (findings.empty())
    return draw_note(context.style, "Findings lists no fault and no waste in it.");
  const Finding& worst = findings.front();
  draw_paragraph(rule_of(worst.kind).title +
                 (worst.position.line > 0 ? " in line " + std::to_string(worst.position.line)
                                          : std::string()) +
                 ": " + first_sentence(worst.what) + " Better: " + worst.better);
  const std::string words = findings.size() == 1
                                ? "show it in Findings"
                                : "show all " + std::to_string(findings.size()) + " findings";
  if (tool_button(words.c_str())) selection.wanted_panel = "findings";
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s\n%s", worst.figure.c_str(), worst.gain.c_str());
  ImGui::SameLine();
}

// Brings a diagram to the front at a request of the line.
void show_panel(Selection& selection, const ShownPoint& shown, const std::string& panel) {
  selection.wanted_panel = panel;
  if (shown.trace == nullptr || shown.line.line == 0) return;
  const Trace& trace = *shown.trace;
  if (selection.pins.both() && !is_pinned(selection.pins, trace.scene, trace.variant, trace.key))
    selection.pair = false;
  for (std::size_t site = 0; site < shown.trace->sites.size(); ++site) {
    const SourcePosition& p = shown.trace->sites[site].position;
    if (p.line != shown.line.line || p.file != shown.line.file) continue;
    choose_site(selection.trace, *shown.trace, static_cast<std::int64_t>(site));
    return;
  }
}

// The buttons that lead to all that there is to say, beside the one that shows `shown_panel`.
void draw_more(Selection& selection, const ShownPoint& shown, const std::string& shown_panel) {
  if (for_slides() || shown.point == nullptr) return;
  const bool counted = counts_stalls(shown.point->metrics);
  for (const char* name : {"advice", "stalls"}) {
    const PanelRow* panel = find_panel(name);
    if (shown_panel == name || (!counted && std::string_view(name) == "stalls")) continue;
    const std::string words = "show " + std::string(panel->title);
    ImGui::SameLine();
    if (ImGui::GetContentRegionAvail().x <
        ImGui::CalcTextSize(words.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x)
      ImGui::NewLine();
    if (tool_button(words.c_str())) selection.wanted_panel = name;
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("%s", std::string_view(name) == "advice"
                                  ? "What to change first, ranked by what it would buy."
                                  : "What a warp waits for, reason by reason.");
  }
}

void draw_next(const PanelContext& context, Selection& selection, const ShownPoint& shown,
               OverviewPanel& state) {
  const std::string look_at = context.view.words.of(shown.variant->look_at);
  if (!look_at.empty()) draw_paragraph("Look at: " + look_at);
  if (shown.trace != nullptr && shown.time_ns <= 0 && context.view.is_own())
    draw_findings(context, selection, shown, state.findings);
  const Advice advice =
      advice_for(shown.point, shown.standing ? &*shown.standing : nullptr, shown.line);
  if (tool_button(("show " + advice.title).c_str())) show_panel(selection, shown, advice.panel);
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", advice.sentence.c_str());
  draw_more(selection, shown, advice.panel);
  if (shown.point == nullptr || shown.time_ns <= 0 || !shown.state.apart.empty()) return;
  const NextVariant next =
      next_variant(candidates_of(context), *shown.variant, *shown.point, selection.cache);
  if (next.variant == nullptr) {
    if (shown.line.line > 0) {
      const auto used = shown.used();
      const std::string waste = used && used->wasteful() ? wasted_sentence(*used) + " " : "";
      draw_paragraph(
          std::string(context.view.is_own() ? "" : "No variant of ours is faster here. ") + waste +
          edit_sentence(context.view, shown.line.file));
    }
    return;
  }
  const std::string words = "try " + next.variant->label + ": " + format_value(next.time_ns, "ns") +
                            ", " + next.comparison.sentence;
  const float pad = 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SameLine();
  if (ImGui::GetContentRegionAvail().x < ImGui::CalcTextSize(words.c_str()).x + pad)
    ImGui::NewLine();
  const float room = ImGui::GetContentRegionAvail().x - pad;
  if (for_slides()) return draw_fitting_text(words, room);
  if (ImGui::Button((fitting(words, room) + "###next").c_str()))
    selection.variant = next.variant->name;
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%s\n%s", words.c_str(),
                      context.view.words.of(next.variant->sentence).c_str());
}

// What keeps the text that was saved from running, in one line; what is below is of the last one
// that ran.
void draw_mistake(const PanelContext& context, Selection& selection, const ShownPoint& shown) {
  const std::vector<Mistake> mistakes = mistakes_in(context.view, shown.variant->name);
  if (mistakes.empty()) return;
  const Style& style = context.style;
  const Mistake& first = mistakes.front();
  const std::string place = first.file.substr(first.file.find_last_of('/') + 1) +
                            (first.line > 0 ? ":" + std::to_string(first.line) : std::string());
  if (tool_button("show in Source")) {
    selection.show_source = {first.file, first.line};
    selection.wanted_panel = "source";
  }
  ImGui::SameLine();
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.bad);
  draw_fitting_text("✕ " + place + ": " + first.sentence.substr(0, first.sentence.find('\n')),
                    ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
  if (shown.trace != nullptr) draw_note(style, "What follows is of the last good text.");
}

void draw_limit(const PanelContext& context, const ShownPoint& shown) {
  part(context.style, "what limits it", [&] { draw_binds(context, shown); });
}

// Those after what limits the variant.
void draw_sentences(const PanelContext& context, Selection& selection, const ShownPoint& shown,
                    OverviewPanel& state) {
  const Style& style = context.style;
  part(style, "what it does", [&] { draw_does(context, selection, shown); });
  part(style, "responsible line", [&] { draw_cause(context, selection, shown); });
  if (!shown.earlier) draw_waits(context, selection, shown, state.stalls);
  part(style, "what next", [&] { draw_next(context, selection, shown, state); });
}

void draw_chart(const PanelContext& context, const ShownPoint& shown) {
  const std::string without =
      shown.point == nullptr || shown.time_ns <= 0
          ? missing_time(context, shown.variant->name, context.view.selection.cache)
          : "";
  const MemoryChart chart = memory_chart(
      shown.figures(), shown.standing ? &*shown.standing : nullptr, shown.time_ns, without);
  const bool alone =
      shown.point == nullptr && shown.trace != nullptr && !shown.trace->stand_ins.empty();
  ImGui::TextDisabled("%s", alone ? ("where the bytes of “" + shown.trace->step + "” go").c_str()
                                  : "where its bytes go");
  draw_memory_chart(context.style, chart, ImGui::GetContentRegionAvail().x - 1);  // its rim
}

// The parts below each other, in the order in which the chart is seen whole. How high its
// words are is known from the frame before.
void draw_narrow(const PanelContext& context, Selection& selection, const ShownPoint& shown,
                 float bottom, OverviewPanel& state) {
  const float width = ImGui::GetContentRegionAvail().x, gap = ImGui::GetStyle().ItemSpacing.y;
  const auto wrapped = [&](const std::string& words) {
    return ImGui::CalcTextSize(words.c_str(), nullptr, false, width).y + gap;
  };
  ImGuiStorage& kept = *ImGui::GetStateStorage();
  const float sentences = kept.GetFloat(ImGui::GetID("sentences"), 0);
  float chart = kept.GetFloat(ImGui::GetID("chart"), 0);
  const SessionView& view = context.view;
  const float quiet = wrapped(view.scene().title);
  push_face(context.style.large);
  const float title = wrapped(view.scene().title);
  ImGui::PopFont();
  const OverviewOrder order =
      overview_order({bottom - ImGui::GetCursorScreenPos().y - title, title, quiet,
                      kept.GetFloat(ImGui::GetID("limit"), 0),
                      wrapped(first_sentence(view.words.story(view.scene()))),
                      wrapped(origin_note(view, shown.state.point)), sentences, chart});
  draw_scene_title(context, order >= OverviewOrder::chart_early);
  if (order == OverviewOrder::reading) draw_story(context);
  if (order <= OverviewOrder::without_story) draw_origin(context, shown.state.point);
  float start = ImGui::GetCursorPosY();
  const auto draw_measured_chart = [&] {
    const float top = ImGui::GetCursorPosY();
    draw_chart(context, shown);
    chart = ImGui::GetCursorPosY() - top;
    kept.SetFloat(ImGui::GetID("chart"), chart);
  };
  const auto draw_measured_limit = [&] {
    const float top = ImGui::GetCursorPosY();
    draw_limit(context, shown);
    kept.SetFloat(ImGui::GetID("limit"), ImGui::GetCursorPosY() - top);
  };
  if (order == OverviewOrder::chart_first) draw_measured_chart();
  draw_measured_limit();
  if (order != OverviewOrder::chart_first) draw_measured_chart();
  start += chart;
  draw_sentences(context, selection, shown, state);
  kept.SetFloat(ImGui::GetID("sentences"), ImGui::GetCursorPosY() - start);
  if (order != OverviewOrder::reading) draw_story(context);
  if (order > OverviewOrder::without_story) draw_origin(context, shown.state.point);
}

}  // namespace

void draw_overview_panel(const PanelContext& context, Selection& selection, OverviewPanel& state) {
  const Style& style = context.style;
  // A window of its own: the panel's leaves the wheel to plots.
  ImGui::BeginChild("overview", {0, 0}, kReached);
  const float bottom = ImGui::GetCursorScreenPos().y + ImGui::GetContentRegionAvail().y;
  const Variant* variant = find_variant(context.view.scene(), selection.variant);
  if (variant == nullptr) {
    draw_note(style, "Nothing is selected: click a variant in the list.");
    return ImGui::EndChild();
  }
  const ShownPoint shown = shown_point(context, selection, *variant);
  draw_mistake(context, selection, shown);
  constexpr float kBesideUnits = 110;  // from this width on the chart stands beside the sentences
  const float width = ImGui::GetContentRegionAvail().x;
  if (width < style.unit(kBesideUnits)) {
    draw_narrow(context, selection, shown, bottom, state);
  } else {
    draw_scene_title(context, false);
    draw_story(context);
    draw_origin(context, shown.state.point);
    const float words = width * 0.48f;
    ImGui::BeginChild("sentences", {words, 0}, kReached);
    draw_limit(context, shown);
    draw_sentences(context, selection, shown, state);
    ImGui::EndChild();
    ImGui::SameLine();
    ImGui::BeginChild("chart", {0, 0}, kReached);
    draw_chart(context, shown);
    ImGui::EndChild();
  }
  ImGui::EndChild();
}

}  // namespace warpscope
