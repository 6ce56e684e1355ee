// workbench/panels/axes/axis_row.cpp: one axis in Axes: its name, its slider or choices, its
// recorded stops.
#include "workbench/panels/axes/axis_row.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "profiling/session/remedy.h"
#include "scenes/host/input_file.h"
#include "workbench/drawing/focus.h"
#include "workbench/drawing/keys.h"
#include "workbench/panels/axes/axis_slider.h"

namespace warpscope {
namespace {

std::vector<double> held_values(const AxisRow& row) {
  if (row.stops == nullptr) return row.axis.stops;
  std::vector<double> values;
  for (const Stop& stop : row.stops->stops) values.push_back(number_of(stop.value));
  return values;
}

// The stop that a dragged value is held at: within 8 pixels, the nearest.
double held_at_stop(const AxisRow& row, double value, ImVec2 low, ImVec2 high, const Style& style) {
  const float x = slider_x(row.axis, value, low, high);
  float nearest = style.unit(1);
  double held = rounded(row.axis, value);
  for (const double stop : held_values(row)) {
    const float apart = std::abs(slider_x(row.axis, stop, low, high) - x);
    if (apart > nearest) continue;
    nearest = apart;
    held = stop;
  }
  return held;
}

void assign(const PanelContext& context, Selection& selection, const Axis& axis,
            const std::string& text) {
  selection.touched_axis = axis.name;
  if (auto changed = with_axis(context.view.scene(), selection, axis, text))
    selection.axes = std::move(*changed);
}

// A slider steps by what the variant in focus asks for (n a multiple of 4), onwards from `from`
// where a key moves it.
double runnable(const PanelContext& context, const Selection& selection, const Axis& axis,
                double value, double from) {
  const Scene& scene = context.view.scene();
  const Variant* variant = find_variant(scene, selection.variant);
  if (variant == nullptr) return value;
  const Hello* engine = context.view.session().engine();
  const DeviceLimits limits =
      limits_of(engine != nullptr && engine->device ? &*engine->device : nullptr);
  const auto near = [&](double at) {
    return static_cast<double>(nearest_runnable(scene, *variant, selection.axes, axis,
                                                static_cast<std::int64_t>(at), limits));
  };
  double found = near(value);
  // A small step by a key would be taken back: on to the next value that runs.
  for (double next = value; found == from && next != from && std::abs(next - from) < 64;)
    found = near(next += value > from ? 1 : -1);
  return found;
}

std::string describe_stop(const Axis& axis, const Stop& stop) {
  const std::string at = axis.name + " = " + to_text(stop.value);
  return stop.full() ? at + ": recorded with the other axes as they stand"
                     : at + ": recorded with " + words_of(stop.moves) +
                           "\na click moves those too; undo takes it back";
}

// Ticks under a slider: full where the other axes stand, hollow where others move too.
void draw_stops(const PanelContext& context, Selection& selection, const AxisRow& row, ImVec2 low,
                ImVec2 high) {
  const Style& style = context.style;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = style.unit(1.125f);
  ImGui::SetCursorScreenPos({low.x, at.y - ImGui::GetStyle().ItemSpacing.y});
  // The pointer's alone: arrows on the slider go from stop to stop.
  ImGui::InvisibleButton("stops", {high.x - low.x, height});
  const float top = ImGui::GetItemRectMin().y;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const Stop* pointed = nullptr;
  float nearest = style.unit(1);
  for (const Stop& stop : row.stops->stops) {
    const float apart = std::abs(slider_x(row.axis, number_of(stop.value), low, high) - mouse.x);
    if (!ImGui::IsItemHovered() || apart > nearest) continue;
    nearest = apart;
    pointed = &stop;
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  const AxisValue& here = value_of(row.axis, selection.axes, selection.variant);
  const float half = style.unit(0.25f);
  for (const Stop& stop : row.stops->stops) {
    const float x = std::round(slider_x(row.axis, number_of(stop.value), low, high));
    const bool chosen = number_of(stop.value) == number_of(here) && stop.full();
    const ImU32 colour = &stop == pointed || chosen ? style.colours.accent : style.colours.text;
    const ImVec2 from{x - half, top + 1}, to{x + half, top + height - 1};
    if (stop.full()) {
      list->AddRectFilled(from, to, colour, 1);
    } else {
      list->AddRect(from, to, &stop == pointed ? colour : style.colours.muted, 1,
                    std::max(1.0f, style.unit(0.125f)));
    }
  }
  if (pointed == nullptr) return;
  ImGui::SetTooltip("%s", describe_stop(row.axis, *pointed).c_str());
  if (ImGui::IsItemClicked()) choose_stop(selection, row.axis.name, *pointed);
}

}  // namespace

void draw_slider_value(const Axis& axis, double value, double handle, const Style& style) {
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  char text[64];
  std::snprintf(text, sizeof text, slider_format(axis).c_str(), value);
  const ImVec2 size = ImGui::CalcTextSize(text);
  ImVec2 at{std::round((low.x + high.x - size.x) / 2), std::round((low.y + high.y - size.y) / 2)};
  const float grab = slider_x(axis, handle, low, high), half = ImGui::GetStyle().GrabMinSize / 2;
  // In the middle, or beside the handle where this would cover it.
  const float beside = half + style.unit(0.5f), middle = (low.x + high.x) / 2;
  if (std::abs(grab - middle) < size.x / 2 + beside)
    at.x = std::round(grab < middle ? grab + beside : grab - beside - size.x);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto draw = [&](float from, float to, ImU32 colour) {
    list->PushClipRect({from, low.y}, {to, high.y}, true);
    list->AddText(at, colour, text);
    list->PopClipRect();
  };
  draw(low.x, grab - half, style.colours.text);
  draw(grab - half, grab + half, ink_on(style.colours.accent));
  draw(grab + half, high.x, style.colours.text);
}

namespace {

// Moved by a key: along the slider, and to the stop that lies in between.
std::optional<double> moved_by_key(const AxisRow& row, double value, Selection& selection) {
  const ImGuiDir arrow = take_arrow(Along::x);
  // All of a key that is held is one undo.
  if (has_focus() && (key_down(ImGuiKey_LeftArrow) || key_down(ImGuiKey_RightArrow)))
    selection.held = true;
  if (arrow == ImGuiDir_None) return std::nullopt;
  const ImGuiIO& io = ImGui::GetIO();
  const double pace = io.KeyAlt ? 0.25 : io.KeyShift ? 4 : 1;
  return stepped(row.axis, held_values(row), value, arrow == ImGuiDir_Right ? 1 : -1, pace);
}

void draw_number(const PanelContext& context, Selection& selection, const AxisRow& row) {
  const Axis& axis = row.axis;
  const bool log = axis.scale == AxisScale::log;
  const ImGuiSliderFlags flags =
      (log ? ImGuiSliderFlags_Logarithmic : 0) | ImGuiSliderFlags_NoRoundToFormat;
  ImGui::SetNextItemWidth(-1);
  double value = number_of(value_of(axis, selection.axes, selection.variant));
  const double before = value;
  const bool typed = types_into("##value");
  if (!typed) ImGui::PushStyleColor(ImGuiCol_Text, IM_COL32_BLACK_TRANS);
  ImGui::SliderScalar("##value", ImGuiDataType_Double, &value, &axis.minimum, &axis.maximum,
                      slider_format(axis).c_str(), flags);
  if (!typed) ImGui::PopStyleColor();
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  const double handle = value;  // under the pointer, while it is dragged
  if (ImGui::IsItemActive() && !typed) selection.held = true;
  const std::optional<double> by_key = moved_by_key(row, value, selection);
  if (by_key) value = *by_key;
  if (value != before) {
    value = std::clamp(value, axis.typed_minimum, axis.typed_maximum);
    if (!typed && !by_key && !ImGui::GetIO().KeyCtrl)
      value = held_at_stop(row, value, low, high, context.style);
    if (axis.kind == AxisKind::integer) value = std::round(value);
    if (axis.kind == AxisKind::integer && !typed && !ImGui::GetIO().KeyCtrl)
      value = runnable(context, selection, axis, value, by_key ? before : value);
    const AxisValue exact = axis.kind == AxisKind::integer
                                ? AxisValue(static_cast<std::int64_t>(value))
                                : AxisValue(value);
    assign(context, selection, axis, to_text(exact));
  }
  // What is chosen, which all panels show: a stop, where the pointer is near one.
  const double chosen = number_of(value_of(axis, selection.axes, selection.variant));
  if (!typed) draw_slider_value(axis, chosen, handle, context.style);
  if (row.stops != nullptr && row.stops->stops.size() > 1)
    draw_stops(context, selection, row, low, high);
}

// What a choice is: recorded, recorded with others moved, or not.
const Stop* stop_of(const AxisRow& row, const std::string& choice) {
  if (row.stops == nullptr) return nullptr;
  for (const Stop& stop : row.stops->stops) {
    if (to_text(stop.value) == choice) return &stop;
  }
  return nullptr;
}

void choose(const PanelContext& context, Selection& selection, const AxisRow& row,
            const std::string& choice) {
  if (const Stop* stop = stop_of(row, choice)) return choose_stop(selection, row.axis.name, *stop);
  assign(context, selection, row.axis, choice);
}

void draw_choice(const PanelContext& context, Selection& selection, const AxisRow& row) {
  const Axis& axis = row.axis;
  const Style& style = context.style;
  const std::string chosen = to_text(value_of(axis, selection.axes, selection.variant));
  const auto explain = [&](const std::string& choice) {
    if (row.stops == nullptr || !ImGui::IsItemHovered()) return;
    const Stop* stop = stop_of(row, choice);
    ImGui::SetTooltip("%s", stop != nullptr
                                ? describe_stop(axis, *stop).c_str()
                                : (axis.name + " = " + choice + ": nothing is recorded").c_str());
  };
  if (axis.choices.size() <= 3) {
    const float width =
        (ImGui::GetContentRegionAvail().x -
         ImGui::GetStyle().ItemSpacing.x * static_cast<float>(axis.choices.size() - 1)) /
        static_cast<float>(axis.choices.size());
    for (std::size_t i = 0; i < axis.choices.size(); ++i) {
      if (i > 0) ImGui::SameLine();
      const bool active = axis.choices[i] == chosen;
      ImGui::PushStyleColor(ImGuiCol_Text, active ? style.colours.accent : style.colours.muted);
      if (ImGui::Button(axis.choices[i].c_str(), {width, 0}))
        choose(context, selection, row, axis.choices[i]);
      ImGui::PopStyleColor();
      explain(axis.choices[i]);
      if (row.stops == nullptr) continue;
      // The tick of a button lies along its lower edge.
      const Stop* stop = stop_of(row, axis.choices[i]);
      const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
      const float half = style.unit(1), middle = std::round((low.x + high.x) / 2);
      const ImVec2 from{middle - half, high.y - style.unit(0.5f)},
          to{middle + half, high.y - style.unit(0.125f)};
      if (stop != nullptr && stop->full()) {
        ImGui::GetWindowDrawList()->AddRectFilled(from, to, style.colours.text, 1);
      } else if (stop != nullptr) {
        ImGui::GetWindowDrawList()->AddRect(from, to, style.colours.muted, 1);
      }
    }
    return;
  }
  ImGui::SetNextItemWidth(-1);
  if (!ImGui::BeginCombo("##choice", chosen.c_str())) return;
  for (const std::string& choice : axis.choices) {
    const Stop* stop = stop_of(row, choice);
    const std::string mark = row.stops == nullptr ? ""
                             : stop == nullptr    ? "   – not recorded"
                             : stop->full()       ? ""
                                                  : "   ○ with " + words_of(stop->moves);
    if (ImGui::Selectable((choice + mark + "##" + choice).c_str(), choice == chosen))
      choose(context, selection, row, choice);
  }
  ImGui::EndCombo();
}

// A field for what is typed, and under it the rule that the text breaks.
void draw_typed(const PanelContext& context, Selection& selection, const Axis& axis,
                AxesPanel& state, const char* hint) {
  const std::string chosen = to_text(value_of(axis, selection.axes, selection.variant));
  AxesPanel::Typed& typed = state.typed[axis.name];
  // Undo and presets change what stands there.
  if (typed.of != chosen) typed = {chosen, chosen};
  ImGui::SetNextItemWidth(-1);
  const bool entered =
      ImGui::InputTextWithHint("##typed", hint, &typed.text, ImGuiInputTextFlags_EnterReturnsTrue);
  type_where_focus_came();
  if (typed.text == chosen) return;
  const Result<AxisValue> value = parse_axis_value(axis, typed.text);
  if (!value) {
    ImGui::PushStyleColor(ImGuiCol_Text, context.style.colours.warning);
    ImGui::TextWrapped("✕ %s", sentence(value.error()).c_str());
    ImGui::PopStyleColor();
    return;
  }
  if (!entered) return draw_note(context.style, "Press Enter to take it.");
  if (axis.kind == AxisKind::file) name_path(typed.text);
  assign(context, selection, axis, typed.text);
  if (!context.view.scene().settle) return;
  if (Result<Configuration> settled = context.view.scene().settle(selection.axes))
    selection.axes = *settled;
}

// What there is to say of an axis of a recording that has no stops to choose from.
void draw_only(const PanelContext& context, const AxisRow& row) {
  if (row.stops == nullptr || row.stops->stops.size() != 1) return;
  const std::string at = row.axis.name + "=" + to_text(row.stops->stops.front().value);
  draw_note(context.style, row.stops->completed
                               ? "recorded before this axis was there: as with " + at
                               : "only " + at + " is recorded");
}

}  // namespace

bool is_named_by_its_label(const Axis& axis) {
  return std::equal(axis.name.begin(), axis.name.end(), axis.label.begin(), axis.label.end(),
                    [](unsigned char a, unsigned char b) {
                      return std::tolower(a) == std::tolower(b) || (a == '_' && b == ' ');
                    });
}

std::string name_and_label(const Axis& axis, const std::string& between) {
  return is_named_by_its_label(axis) ? axis.name : axis.name + between + axis.label;
}

namespace {

// Name and label, up to `end` of the row; what the axis is on hover.
void draw_name(const Style& style, const Axis& axis, float end) {
  const bool once = is_named_by_its_label(axis);
  if (!once) {
    ImGui::TextUnformatted((axis.name + "  ").c_str());
    ImGui::SameLine(0, 0);
  }
  ImGui::PushStyleColor(ImGuiCol_Text, once ? style.colours.text : style.colours.muted);
  draw_fitting_text(once ? axis.name : axis.label, end - ImGui::GetCursorPosX());
  ImGui::PopStyleColor();
  if (!ImGui::IsItemHovered()) return;
  const bool number_axis = axis.kind == AxisKind::integer || axis.kind == AxisKind::real;
  const bool typed = axis.kind == AxisKind::text || axis.kind == AxisKind::list;
  ImGui::SetTooltip("%s\n%s", axis.description.c_str(),
                    number_axis ? "Ctrl+click to type a value; hold Ctrl while dragging to pass "
                                  "the marks."
                    : typed     ? "Type a value, then Enter."
                                : "Click to choose.");
}

}  // namespace

void draw_axis(const PanelContext& context, Selection& selection, AxesPanel& state,
               const AxisRow& row) {
  const Style& style = context.style;
  const Axis& axis = row.axis;
  std::string right;
  bool* unlinked = nullptr;
  if (!axis.linked_to.empty()) {
    unlinked = &selection.unlinked[axis.name];
    right = *unlinked ? "unlinked" : "follows " + axis.linked_to;
  } else if (!of_problem(axis)) {
    right = "default " + to_text(default_of(axis, selection.variant));
  }
  const float end = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  const float width = right.empty() ? 0 : ImGui::CalcTextSize(right.c_str()).x + style.unit(1);
  draw_name(style, axis, end - width);
  if (!right.empty()) {
    ImGui::SameLine(end - width + style.unit(1));
    ImGui::PushStyleColor(ImGuiCol_Text, unlinked != nullptr && !*unlinked ? style.colours.accent
                                                                           : style.colours.muted);
    ImGui::PushStyleColor(ImGuiCol_Button, IM_COL32_BLACK_TRANS);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, 0});
    const bool clicked = ImGui::Button((right + "##right").c_str());
    ImGui::PopStyleVar();
    ImGui::PopStyleColor(2);
    if (clicked && unlinked != nullptr) *unlinked = !*unlinked;
    if (clicked && unlinked == nullptr) selection.axes.unset(axis.name);
    if (ImGui::IsItemHovered()) {
      ImGui::SetTooltip(unlinked != nullptr
                            ? "Click to link or unlink this axis: linked ones move as one."
                            : "Where nobody sets it, this variant runs with this value. Click to "
                              "return to it.");
    }
  }
  if (context.focus != nullptr && state.go_to == axis.name) {
    lead_focus_here(*context.focus);
    state.go_to.clear();
  }
  if (axis.kind == AxisKind::choice) {
    draw_choice(context, selection, row);
  } else if (axis.kind == AxisKind::file) {
    draw_typed(context, selection, axis, state, "path of a .mtx file, then Enter");
  } else if (axis.kind == AxisKind::text) {
    draw_typed(context, selection, axis, state, "type, then Enter");
  } else if (axis.kind == AxisKind::list) {
    draw_typed(context, selection, axis, state, "numbers between commas, then Enter");
  } else {
    draw_number(context, selection, row);
  }
  draw_only(context, row);
}

}  // namespace warpscope
