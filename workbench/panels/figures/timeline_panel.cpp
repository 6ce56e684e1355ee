// workbench/panels/figures/timeline_panel.cpp: NVTX ranges over kernels, copies and gaps of
// captured runs.
#include <imgui.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "profiling/points/point.h"
#include "scenes/base/plural.h"
#include "workbench/drawing/focus.h"
#include "workbench/panels/diagrams/diagram.h"
#include "workbench/panels/figures/timeline_statistics.h"
#include "workbench/panels/panels.h"

namespace warpscope {
namespace {

// Those of the variant on the device that is shown; of any where the session does not say which it
// is.
std::vector<const Timeline*> timelines_of(const SessionView& view, const std::string& variant) {
  std::vector<const Timeline*> found;
  const std::string& device = view.device();
  for (const Timeline* timeline : view.session().timelines()) {
    if (timeline->scene != view.scene().name || timeline->variant != variant) continue;
    if (device.empty() || device_of(timeline->conditions).id() == device) found.push_back(timeline);
  }
  return found;
}

// That of the selected point. While an engine measures the last one stands until that has come; a
// recording has it or has it not.
const Timeline* timeline_to_show(const SessionView& view, const std::string& variant) {
  const std::string& key = view.point_id(variant).key;
  const auto age = [](const Timeline& t) { return std::tie(t.conditions.date, t.job); };
  const Timeline *exact = nullptr, *last = nullptr;
  for (const Timeline* timeline : timelines_of(view, variant)) {
    const Timeline*& newest = timeline->key == key ? exact : last;
    if (newest == nullptr || age(*timeline) >= age(*newest)) newest = timeline;
  }
  return exact != nullptr || view.recorded() ? exact : last;
}

// "n=64": the axes at which a key is other than the selection; empty: none is known to be.
std::string differing_axes(const SessionView& view, const std::string& variant,
                           const std::string& key) {
  const Scene& scene = view.scene();
  const std::optional<Configuration> there = parse_key(scene.axes, key);
  if (!there) return "";
  std::string words;
  for (const Axis& axis : scene.axes) {
    if (!of_variant(axis, variant) || !there->has(axis.name)) continue;
    const AxisValue& value = there->at(axis.name);
    if (value == value_of(axis, view.selection.axes, variant)) continue;
    words += (words.empty() ? "" : ", ") + axis.name + "=" + to_text(value);
  }
  return words;
}

// Why a timeline at the selection is not of the source that the figures or today's files are of.
std::string other_source(const SessionView& view, const Timeline& timeline) {
  const Measurement* point = view.state(timeline.variant).point;
  Measurement captured;
  captured.scene = timeline.scene;
  captured.variant = timeline.variant;
  captured.key = timeline.key;
  captured.axes = for_variant(view.scene().axes, view.selection.axes, timeline.variant);
  captured.conditions = timeline.conditions;
  if (point != nullptr) captured.facts = point->facts;
  if (std::string earlier = view.points.earlier_source(captured); !earlier.empty()) return earlier;
  const std::string& of = timeline.conditions.code_id;
  if (point == nullptr || point->key != timeline.key || of.empty() ||
      point->conditions.code_id.empty() || point->conditions.code_id == of)
    return "";
  return "captured with another source than the figures here";
}

// What bars are searched for; a comparison of figures ("> 5") is the table's alone.
std::string_view searched_words(const TimelinePanel& state) {
  const std::string_view text = state.filter.text;
  return text.starts_with('>') || text.starts_with('<') ? std::string_view() : text;
}

// A bar with its name in it where there is room. Returns whether the pointer is on it.
bool draw_bar(const PlotArea& area, double start, double end, float top, float height, ImU32 fill,
              ImU32 ink, const std::string& name) {
  const float x0 = std::max(area.at(start, 0).x, area.low.x - 2),
              x1 = std::max(std::min(area.at(end, 0).x, area.high.x + 2), x0 + 2);
  if (x1 < area.low.x || x0 > area.high.x) return false;
  area.list->AddRectFilled({x0, top}, {x1, top + height - 2}, fill, 3);
  const float room = x1 - x0 - 8;
  constexpr float kLetters = 40;  // pixels: less says nothing
  const std::string words = fitting(name, room);
  // A slide shortens no text.
  if (words == name || (room > kLetters && !for_slides()))
    area.list->AddText({x0 + 4, top + 1}, ink, words.c_str());
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  return area.hovered && mouse.x >= x0 && mouse.x <= x1 && mouse.y >= top &&
         mouse.y <= top + height;
}

void describe_activity(const TimelineActivity& a) {
  ImGui::TextUnformatted(a.name.c_str());
  const std::string stream = a.stream == 0 ? "" : ", stream " + std::to_string(a.stream);
  ImGui::Text("%s, %s%s%s", a.kind.c_str(), format_value(a.end_ns - a.start_ns, "ns").c_str(),
              stream.c_str(), a.graph_node == 0 ? "" : ", node of a graph");
  if (a.kind == "kernel") {
    ImGui::Text("grid %lld × %lld × %lld, block %lld × %lld × %lld",
                static_cast<long long>(a.launch.grid.x), static_cast<long long>(a.launch.grid.y),
                static_cast<long long>(a.launch.grid.z), static_cast<long long>(a.launch.block.x),
                static_cast<long long>(a.launch.block.y), static_cast<long long>(a.launch.block.z));
    ImGui::Text("%d registers per thread, shared memory %s static, %s dynamic",
                a.registers_per_thread,
                format_value(static_cast<double>(a.static_shared_bytes), "B").c_str(),
                format_value(static_cast<double>(a.launch.dynamic_shared_bytes), "B").c_str());
  } else {
    ImGui::TextUnformatted(format_value(static_cast<double>(a.bytes), "B").c_str());
  }
}

// Why there is no timeline of this variant, and what to do.
std::string without_timeline(const PanelContext& context, const Variant& variant) {
  const SessionView& view = context.view;
  const JobState job = view.last_job(JobKind::timeline, variant.name);
  if (job.job != nullptr && !job.done) {
    if (view.recorded())
      return "A capture of " + variant.label + " was begun, and the session ends before it did.";
    return "A run of " + variant.label + " is being captured …" +
           (job.progress && !job.progress->text.empty() ? " " + job.progress->text : "");
  }
  std::string text = view.recorded()
                         ? "The recorded session has no timeline of " + variant.label + "."
                         : "No timeline of " + variant.label + " yet: press capture.";
  if (job.done && job.done->error)
    text = "The capture of " + variant.label + " failed: " + sentence(*job.done->error);
  return text;
}

// The timeline whose configuration is changed to by fewest axes: the variant's own, else that of
// another one. Null: there is none.
const Timeline* nearest_timeline(const SessionView& view, const Variant& variant) {
  const Timeline* nearest = nullptr;
  std::size_t fewest = 0;
  const std::string& device = view.device();
  for (const Timeline* timeline : view.session().timelines()) {
    if (timeline->scene != view.scene().name) continue;
    if (!device.empty() && device_of(timeline->conditions).id() != device) continue;
    if (!parse_key(view.scene().axes, timeline->key)) continue;  // nobody can go there
    const std::string words = differing_axes(view, timeline->variant, timeline->key);
    constexpr std::size_t kOther = 1000;  // another variant is further than any axis
    const std::size_t apart = (timeline->variant == variant.name ? 0 : kOther) +
                              static_cast<std::size_t>(std::count(words.begin(), words.end(), '='));
    if (nearest != nullptr && apart >= fewest) continue;
    nearest = timeline;
    fewest = apart;
  }
  return nearest;
}

// One button that leads to a timeline, where the selection has none.
void offer_nearest(const PanelContext& context, Selection& selection, const Variant& variant) {
  const SessionView& view = context.view;
  const Timeline* nearest = nearest_timeline(view, variant);
  if (nearest == nullptr) return;
  const Variant* of = find_variant(view.scene(), nearest->variant);
  const std::optional<Configuration> there = parse_key(view.scene().axes, nearest->key);
  if (of == nullptr || !there) return;
  const std::string at = differing_axes(view, of->name, nearest->key);
  const std::string other = of == &variant ? "" : of->label + (at.empty() ? "" : " at ");
  const std::string words = "go to " + other + at;
  const float room = ImGui::GetContentRegionAvail().x - 2 * ImGui::GetStyle().FramePadding.x;
  if (tool_button((fitting(words, room) + "###captured").c_str())) {
    selection.variant = of->name;
    for (const auto& [axis, value] : there->values()) selection.axes.set(axis, value);
  }
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%s: a timeline was captured there.", words.c_str());
}

// The line above a timeline: of which configuration it is, and whether that is the one selected.
void draw_heading(const PanelContext& context, const Variant& variant, const Timeline& timeline) {
  const Style& style = context.style;
  const JobState job = context.view.last_job(JobKind::timeline, variant.name);
  std::string state;
  if (job.job != nullptr && !job.done && job.job->job > timeline.job) {
    state = context.view.recorded() ? "a later capture was begun and never ended · "
                                    : "… a newer capture is on its way · ";
  } else if (job.done && job.done->error && job.job->job > timeline.job) {
    state = "✕ the last capture failed: " + sentence(*job.done->error) + " · ";
  } else if (timeline.key != context.view.key()) {
    const std::string at = differing_axes(context.view, variant.name, timeline.key);
    state = "stale: captured at " + (at.empty() ? timeline.key : at) + " · ";
  } else if (const std::string source = other_source(context.view, timeline); !source.empty()) {
    state = "○ " + source + " · ";
  }
  ImGui::PushStyleColor(ImGuiCol_Text, state.empty() ? style.colours.text : style.colours.warning);
  draw_fitting_text(state + variant.label + " at " + timeline.key,
                    ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
}

// The button that asks for a capture.
void draw_capture(const PanelContext& context, Selection& selection) {
  ImGui::BeginDisabled(context.view.recorded());
  if (tool_button("capture")) context.requests.ask(request::Timeline{selection.variant});
  ImGui::EndDisabled();
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) {
    ImGui::SetTooltip(
        context.view.recorded()
            ? "A recorded session: there is no GPU here to capture on."
            : "Records three runs of the selected variant with CUPTI's activity records.");
  }
}

// The button that turns bars into a table, and back.
void draw_form(TimelinePanel& state) {
  if (tool_button(state.table ? "bars" : "table")) state.table = !state.table;
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip(state.table ? "What ran when."
                                  : "How often and how long each kernel, copy and range ran.");
  ImGui::SameLine();
}

// One of the captures that are drawn below each other on one scale.
struct DrawnTimeline {
  const Timeline& timeline;
  const TimelineLanes& lanes;
  ImU32 kernels;
  std::string title;  // above it; empty: it is alone
  bool own = true;    // of the selection: a click chooses an activity
};

// Where rows of bars begin, in pixels below the top of the plot.
struct Rows {
  float line = 0, title = 0, ranges = 0, lanes = 0, end = 0;
};

// Below what ends at `top`.
Rows rows_of(const Style& style, const DrawnTimeline& drawn, float top) {
  const auto& [timeline, lanes, kernels, title, own] = drawn;
  int depth = 1;
  for (const TimelineRange& r : timeline.ranges) depth = std::max(depth, r.depth + 1);
  Rows rows;
  rows.line = ImGui::GetTextLineHeight() * 1.5f;
  rows.title = top + style.unit(0.5f);
  rows.ranges = rows.title + rows.line * (title.empty() ? 1 : 2);
  rows.lanes = rows.ranges + (static_cast<float>(depth) + 1) * rows.line + style.unit(1);
  rows.end = rows.lanes + static_cast<float>(lanes.lanes.size()) * rows.line + style.unit(1);
  return rows;
}

// What has no part of what is searched for stays in the background.
ImU32 searched_colour(ImU32 colour, const std::string& name, std::string_view searched) {
  constexpr float kBackground = 0.25f;
  return searched.empty() || has_words(name, searched) ? colour : faded(colour, kBackground);
}

void draw_ranges(const Style& style, const Timeline& timeline, const PlotArea& area,
                 const Rows& rows, const char* where, std::string_view searched) {
  const float top = area.low.y + rows.ranges;
  area.list->AddText({area.low.x + 4, top - rows.line}, style.colours.muted,
                     (std::string("NVTX ranges ") + where).c_str());
  for (const TimelineRange& r : timeline.ranges) {
    if (draw_bar(area, r.start_ns, r.end_ns, top + static_cast<float>(r.depth) * rows.line,
                 rows.line, searched_colour(style.colours.raised, r.name, searched),
                 searched_colour(style.colours.text, r.name, searched), r.name)) {
      ImGui::SetTooltip("%s\n%s %s", r.name.c_str(),
                        format_value(r.end_ns - r.start_ns, "ns").c_str(), where);
    }
  }
}

// What ran on the device, in lanes; a click chooses an activity.
void draw_activities(const Style& style, const DrawnTimeline& drawn, const PlotArea& area,
                     const Rows& rows, TimelinePanel& state) {
  const Timeline& timeline = drawn.timeline;
  const std::string_view searched = searched_words(state);
  const float top = area.low.y + rows.lanes;
  area.list->AddText({area.low.x + 4, top - rows.line}, style.colours.muted, "on the device");
  for (std::size_t i = 0; i < timeline.activities.size(); ++i) {
    const TimelineActivity& a = timeline.activities[i];
    const ImU32 fill =
        searched_colour(a.kind == "kernel" ? drawn.kernels : style.colours.axis, a.name, searched);
    const float lane = top + static_cast<float>(drawn.lanes.lane_of[i]) * rows.line;
    if (draw_bar(area, a.start_ns, a.end_ns, lane, rows.line, fill, style.colours.window, a.name)) {
      ImGui::BeginTooltip();
      describe_activity(a);
      ImGui::EndTooltip();
      if (area.clicked && drawn.own) state.chosen = static_cast<int>(i);
    }
  }
}

// To the left of the plot, where another has the numbers of its axis.
void draw_lane_names(const Style& style, const PlotArea& area, const Rows& rows, float left,
                     const TimelineLanes& lanes) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  float top = area.low.y + rows.lanes;
  for (const TimelineLane& lane : lanes.lanes) {
    const float right = area.low.x - style.unit(0.75f);
    const std::string name = fitting(short_lane_name(lanes, lane), right - left);
    area.list->AddText({right - ImGui::CalcTextSize(name.c_str()).x, top + 1}, style.colours.muted,
                       name.c_str());
    if (area.hovered && mouse.x < area.low.x && mouse.y >= top && mouse.y < top + rows.line) {
      ImGui::SetTooltip("%s, %s in all", lane_name(lanes, lane).c_str(),
                        format_value(lane.busy_ns, "ns").c_str());
    }
    top += rows.line;
  }
}

// The captures below each other, each from its own beginning, on one scale.
void draw_bars(const Style& style, const std::vector<DrawnTimeline>& drawn, const char* where,
               TimelinePanel& state) {
  double end = 1;
  std::vector<Rows> rows;
  for (const DrawnTimeline& each : drawn) {
    for (const TimelineRange& r : each.timeline.ranges) end = std::max(end, r.end_ns);
    for (const TimelineActivity& a : each.timeline.activities) end = std::max(end, a.end_ns);
    rows.push_back(rows_of(style, each, rows.empty() ? 0 : rows.back().end));
  }
  const float left = ImGui::GetCursorScreenPos().x;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float details = state.chosen >= 0 ? ImGui::GetTextLineHeightWithSpacing() * 4 : 0;
  // Lanes that have no room are scrolled to; the plot's own frame is four lines.
  const float height = std::max(room.y - details, rows.back().end + 4 * ImGui::GetTextLineHeight());
  PlotArea area = begin_plot("timeline", {room.x, height}, {"time", "ns"}, {"", "1"}, state.view,
                             {false, -end * 0.01, end * 1.01}, {false, 0, 1}, style);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (!drawn[i].title.empty())
      area.list->AddText({area.low.x + 4, area.low.y + rows[i].title}, style.colours.accent,
                         fitting(drawn[i].title, area.high.x - area.low.x).c_str());
    draw_ranges(style, drawn[i].timeline, area, rows[i], where, searched_words(state));
    draw_activities(style, drawn[i], area, rows[i], state);
  }
  end_plot(area);
  for (std::size_t i = 0; i < drawn.size(); ++i)
    draw_lane_names(style, area, rows[i], left, drawn[i].lanes);
}

// Zooms to an activity, with as much around it as the view had, or as shows where it is.
void go_to(TimelinePanel& state, const Timeline& timeline, std::size_t activity) {
  constexpr double kAround = 20, kLeast = 3;
  const TimelineActivity& a = timeline.activities[activity];
  const double length = std::max(a.end_ns - a.start_ns, 1.0);
  const double wide = state.view.by_hand ? state.view.x.high - state.view.x.low : kAround * length;
  const double half = std::max(wide, kLeast * length) / 2, middle = (a.start_ns + a.end_ns) / 2;
  state.view.x = {false, middle - half, middle + half};
  state.view.fitted = state.view.by_hand = true;
  state.chosen = static_cast<int>(activity);
}

// The box that searches bars by their names, and the buttons that go through what it found.
void draw_search(const Style& style, const Timeline& timeline, TimelinePanel& state) {
  if (for_slides()) return;
  ImGui::SetNextItemWidth(style.unit(20));
  if (state.filter.focus) ImGui::SetKeyboardFocusHere();
  state.filter.focus = false;
  const bool entered =
      ImGui::InputTextWithHint("##search", "search: a name", state.filter.text,
                               sizeof state.filter.text, ImGuiInputTextFlags_EnterReturnsTrue);
  type_where_focus_came();
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("Other bars fade. Enter goes to the next one. Ctrl+F comes here.");
  const std::vector<std::size_t> found = activities_with(timeline, searched_words(state));
  const auto count = static_cast<int>(found.size());
  ImGui::SameLine();
  ImGui::BeginDisabled(found.empty());
  int step = entered ? 1 : 0;
  if (ImGui::ArrowButton("##last", ImGuiDir_Left)) step = -1;
  ImGui::SameLine(0, style.unit(0.25f));
  if (ImGui::ArrowButton("##next", ImGuiDir_Right)) step = 1;
  ImGui::EndDisabled();
  ImGui::SameLine();
  if (step != 0 && count > 0) {
    const bool begun = state.match >= 0 && state.match < count;
    state.match = begun ? (state.match + step + count) % count : step > 0 ? 0 : count - 1;
    go_to(state, timeline, found[static_cast<std::size_t>(state.match)]);
  }
  if (searched_words(state).empty()) {
    state.match = -1;
    return;
  }
  ImGui::AlignTextToFramePadding();
  ImGui::TextDisabled(
      "%s", count == 0 ? "none"
            : state.match < 0
                ? std::to_string(count).c_str()
                : (std::to_string(state.match + 1) + " of " + std::to_string(count)).c_str());
  ImGui::SameLine();
}

// The captures of this scene and device that may be shown below the selected one.
std::vector<const Timeline*> others(const SessionView& view, const Timeline& shown) {
  std::vector<const Timeline*> all;
  for (const Timeline* timeline : view.session().timelines()) {
    if (timeline == &shown || timeline->scene != shown.scene) continue;
    if (device_of(timeline->conditions) == device_of(shown.conditions)) all.push_back(timeline);
  }
  return all;
}

std::string title_of(const SessionView& view, const Timeline& timeline) {
  const Variant* variant = find_variant(view.scene(), timeline.variant);
  const std::string at = differing_axes(view, timeline.variant, timeline.key);
  return (variant == nullptr ? timeline.variant : variant->label) +
         (at.empty() ? " at the selected values" : " at " + at);
}

// The list of those captures; a click shows one below, or no longer.
void draw_beside(const SessionView& view, const Timeline& shown, TimelinePanel& state) {
  const std::vector<const Timeline*> all = others(view, shown);
  if (for_slides()) return;
  ImGui::BeginDisabled(all.empty());
  if (ImGui::Button("compare ▾")) ImGui::OpenPopup("beside");
  ImGui::EndDisabled();
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
    ImGui::SetTooltip(all.empty() ? "This session has no other timeline of this scene and device."
                                  : "Shows other timelines below, on the same scale.");
  ImGui::SameLine();
  if (!ImGui::BeginPopup("beside")) return;
  for (const Timeline* timeline : all) {
    const std::pair key(timeline->variant, timeline->key);
    const auto found = std::find(state.beside.begin(), state.beside.end(), key);
    bool on = found != state.beside.end();
    if (!ImGui::Checkbox((title_of(view, *timeline) + "##" + timeline->key).c_str(), &on)) continue;
    if (on) {
      state.beside.push_back(key);
    } else {
      state.beside.erase(found);
    }
  }
  ImGui::EndPopup();
}

// The selected capture, then those that were chosen beside it.
std::vector<DrawnTimeline> drawn_timelines(const PanelContext& context, const Timeline& shown,
                                           TimelinePanel& state) {
  const SessionView& view = context.view;
  const auto colour = [&](const std::string& variant) {
    return variant_colour(context.style, variant_index(view.scene(), variant));
  };
  std::vector<DrawnTimeline> drawn = {{shown, state.lanes, colour(shown.variant), "", true}};
  for (const Timeline* timeline : others(view, shown)) {
    const std::pair key(timeline->variant, timeline->key);
    if (std::find(state.beside.begin(), state.beside.end(), key) == state.beside.end()) continue;
    TimelineLanes& lanes = state.beside_lanes[key];
    if (lanes.lane_of.size() != timeline->activities.size()) lanes = lanes_of(*timeline);
    drawn.push_back(
        {*timeline, lanes, colour(timeline->variant), title_of(view, *timeline), false});
  }
  if (drawn.size() > 1) drawn.front().title = title_of(view, shown);
  return drawn;
}

// What was clicked, and the button that zooms to it.
void draw_chosen(const Timeline& timeline, TimelinePanel& state) {
  const TimelineActivity& a = timeline.activities[static_cast<std::size_t>(state.chosen)];
  if (tool_button("zoom to it")) {
    const double around = (a.end_ns - a.start_ns) / 10 + 1;
    state.view.x = {false, a.start_ns - around, a.end_ns + around};
    state.view.fitted = state.view.by_hand = true;
  }
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("The same as Z. A double click shows all again.");
  if (!for_slides()) ImGui::SameLine();
  describe_activity(a);
}

// How the device was used in the part that is in view, and the button that goes to the longest gap.
void draw_use(const Style& style, const Timeline& timeline, TimelinePanel& state) {
  constexpr double kAll = 1e18;
  const bool fitted = state.view.fitted;
  const DeviceUse use =
      device_use_of(timeline, fitted ? state.view.x.low : -kAll, fitted ? state.view.x.high : kAll);
  const std::string words = to_text(use);
  ImGui::BeginDisabled(use.gaps.empty());
  const bool clicked = tool_button("longest gap");
  ImGui::EndDisabled();
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) {
    ImGui::SetTooltip(
        "Zooms to the longest time in view in which nothing ran on the device. A double click on "
        "the plot shows all again.");
  }
  if (clicked && !use.gaps.empty()) {
    const IdleGap& gap = use.gaps.front();
    state.view.x = {false, gap.start_ns - gap.ns(), gap.end_ns + gap.ns()};
    state.view.fitted = state.view.by_hand = true;
  }
  std::string sentence = "in view: " + (words.empty() ? "nothing ran on the device" : words);
  // It ends with a kernel's name, which may be wider than the panel.
  const std::string name = use.gaps.empty() ? "" : use.gaps.front().before;
  const std::string shown = fitting(name, ImGui::GetContentRegionAvail().x);
  if (sentence.ends_with(name)) sentence.replace(sentence.size() - name.size(), name.size(), shown);
  if (!for_slides()) flow(ImGui::CalcTextSize(sentence.c_str()).x);
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.muted);
  draw_paragraph(sentence);
  ImGui::PopStyleColor();
  if (shown != name && ImGui::IsItemHovered()) ImGui::SetTooltip("%s", name.c_str());
}

// The table of all, or of what is in view.
void draw_table(const PanelContext& context, Selection& selection, const Timeline& timeline,
                TimelinePanel& state) {
  const bool zoomed = state.view.by_hand;
  if (zoomed) {
    if (tool_button(state.in_view ? "of all" : "of what is in view"))
      state.in_view = !state.in_view;
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip(
          "Counts the whole timeline, or only the part to which the bars are zoomed.");
    if (!for_slides()) ImGui::SameLine();
  }
  if (!zoomed || !state.in_view)
    return draw_timeline_statistics(context, selection, timeline, state.filter);
  draw_timeline_statistics(context, selection,
                           cut_out(timeline, state.view.x.low, state.view.x.high), state.filter);
}

// The newest launches of the program that is watched; the plot follows them.
void draw_program(const Style& style, const Timeline& program, TimelinePanel& state) {
  const auto count = static_cast<std::int64_t>(program.activities.size());
  draw_note(style, "the running program: its newest " + plural(count, "launch", "launches") +
                       ", of the last second");
  state.lanes = lanes_of(program);
  state.view = {};
  state.chosen = -1;
  state.shown = {};
  draw_bars(style, {{program, state.lanes, style.colours.text, "", true}}, "of the launches",
            state);
}

// The button between the program's launches and the variant's; whether the program's are shown.
bool draw_program_choice(const PanelContext& context, TimelinePanel& state) {
  if (context.program == nullptr) return false;
  if (tool_button(state.program ? "variant" : "program")) state.program = !state.program;
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip(state.program ? "Timelines of the selected variant."
                                    : "The launches of the program that is running.");
  ImGui::SameLine();
  return state.program;
}

}  // namespace

void draw_timeline_panel(const PanelContext& context, Selection& selection, TimelinePanel& state) {
  const Style& style = context.style;
  if (draw_program_choice(context, state)) return draw_program(style, *context.program, state);
  const Variant* variant = find_variant(context.view.scene(), selection.variant);
  if (variant == nullptr)
    return draw_note(style, "Nothing is selected: click a variant in the list.");
  draw_capture(context, selection);
  ImGui::SameLine();
  const Timeline* timeline = timeline_to_show(context.view, selection.variant);
  if (timeline == nullptr) {
    draw_note(style, without_timeline(context, *variant));
    return offer_nearest(context, selection, *variant);
  }
  draw_form(state);
  draw_heading(context, *variant, *timeline);
  if (state.shown.changes_to({timeline->variant, timeline->key, timeline->conditions.date,
                              device_of(timeline->conditions).id(), timeline->job,
                              timeline->activities.size()})) {
    state.view = {};
    state.chosen = state.match = -1;
    state.lanes = lanes_of(*timeline);
    state.beside_lanes.clear();
  }
  if (timeline->activities.empty() && timeline->ranges.empty())
    return draw_note(style, "The capture is empty: nothing ran while it was taken.");
  if (state.table) return draw_table(context, selection, *timeline, state);
  draw_search(style, *timeline, state);
  draw_beside(context.view, *timeline, state);
  draw_use(style, *timeline, state);
  if (state.chosen >= 0 && state.chosen < static_cast<int>(timeline->activities.size())) {
    const TimelineActivity& a = timeline->activities[static_cast<std::size_t>(state.chosen)];
    offer_selection(state.view, {a.start_ns, a.end_ns}, {});
  } else if (!timeline->activities.empty()) {
    offer_selection(state.view,
                    {timeline->activities.front().start_ns, timeline->activities.back().end_ns},
                    {});
  }
  draw_bars(style, drawn_timelines(context, *timeline, state), "on the host", state);
  if (state.chosen >= 0 && state.chosen < static_cast<int>(timeline->activities.size()))
    draw_chosen(*timeline, state);
}

}  // namespace warpscope
