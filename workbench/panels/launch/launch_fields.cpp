// workbench/panels/launch/launch_fields.cpp: the rows of the form in Launch.
#include "workbench/panels/launch/launch_fields.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>

namespace warpscope {
namespace {

constexpr const char* kTypes[] = {"u8",  "i8",  "u16",  "i32", "u32", "i64",
                                  "u64", "f16", "bf16", "f32", "f64"};

// A box that holds a value; whether something was typed into it.
bool box(const char* id, std::string& text, float width, const std::string& help) {
  ImGui::SetNextItemWidth(width);
  if (for_slides()) {
    draw_fitting_text(text, width);
    return false;
  }
  const bool typed = ImGui::InputText(id, &text, ImGuiInputTextFlags_AutoSelectAll);
  if (ImGui::IsItemHovered() && !ImGui::IsItemActive())
    ImGui::SetTooltip("%s\n%s", text.c_str(), help.c_str());
  return typed;
}

// The widths of a row: boxes share what the label and the sign of the origin leave.
float sign_width(const Style& style) { return style.unit(4); }

void draw_shape(const PanelContext& context, Selection& selection, const LaunchForm& form,
                const std::string& key, LaunchPanel& state) {
  const std::array<FormValue, 3>& extents = key == "grid" ? form.grid : form.block;
  const Style& style = context.style;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(key == "grid" ? "grid" : "block");
  ImGui::TableNextColumn();
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  // The first extent is the one that most expressions stand in.
  const float room = ImGui::GetContentRegionAvail().x - sign_width(style) - 3 * gap;
  const float small = std::min(room / 6, style.unit(8));
  constexpr const char* kNames[] = {"x", "y", "z"};
  for (int i = 0; i < 3; ++i) {
    std::string text = extents[static_cast<std::size_t>(i)].text;
    const std::string help = (key == "grid" ? "Blocks in " : "Threads of a block in ") +
                             std::string(kNames[i]) + ": a number, or an expression of the sizes.";
    if (i > 0) ImGui::SameLine();
    if (box(("##" + key + kNames[i]).c_str(), text, i == 0 ? room - 2 * small : small, help))
      set_extent(state.draft, form, key, i, text);
  }
  ImGui::SameLine();
  draw_origin(context, selection, key.c_str(), extents[0]);
}

void draw_shared(const PanelContext& context, Selection& selection, const LaunchForm& form,
                 LaunchPanel& state) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::AlignTextToFramePadding();
  draw_fitting_text("dynamic shared", ImGui::GetContentRegionAvail().x);
  ImGui::TableNextColumn();
  std::string text = form.shared.text;
  const std::string unit = "bytes";
  const float room = ImGui::GetContentRegionAvail().x - sign_width(context.style) -
                     ImGui::CalcTextSize(unit.c_str()).x - 2 * ImGui::GetStyle().ItemSpacing.x;
  if (box("##shared", text, room, "Bytes of the kernel's extern __shared__ array."))
    set_shared(state.draft, form, text);
  ImGui::SameLine();
  ImGui::TextUnformatted(unit.c_str());
  ImGui::SameLine();
  draw_origin(context, selection, "shared", form.shared);
}

// Sizes are axes: what is typed moves the slider.
void draw_sizes(const PanelContext& context, Selection& selection, const std::string& description,
                LaunchPanel& state) {
  const Scene& scene = context.view.scene();
  const std::vector<DescribedField> fields = described_fields(description);
  for (const Axis& axis : scene.axes) {
    const auto& of = axis.of_variants;
    if (!of.empty() && std::find(of.begin(), of.end(), selection.variant) == of.end()) continue;
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    draw_fitting_text(axis.name, ImGui::GetContentRegionAvail().x);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("A size of the launch. It has a slider in Axes.");
    ImGui::TableNextColumn();
    std::string text = to_text(value_of(axis, selection.axes, selection.variant));
    const std::string note = "slider in Axes";
    const float gap = ImGui::GetStyle().ItemSpacing.x;
    const float room = ImGui::GetContentRegionAvail().x - sign_width(context.style) -
                       ImGui::CalcTextSize(note.c_str()).x - 2 * gap;
    ImGui::SetNextItemWidth(std::max(room, context.style.unit(6)));
    const bool typed =
        ImGui::InputText(("##size " + axis.name).c_str(), &text,
                         ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
    if (typed || ImGui::IsItemDeactivatedAfterEdit()) {
      const Result<Configuration> axes = with_axis(scene, selection, axis, text);
      state.trouble = axes ? "" : sentence(axes.error());
      if (axes) {
        selection.axes = *axes;
        selection.touched_axis = axis.name;
      }
    }
    ImGui::SameLine();
    ImGui::PushStyleColor(ImGuiCol_Text, context.style.colours.muted);
    draw_fitting_text(note, ImGui::CalcTextSize(note.c_str()).x);
    ImGui::PopStyleColor();
    const DescribedField* start = find_field(fields, "axes." + axis.name, "default");
    if (start == nullptr) continue;
    ImGui::SameLine();
    draw_origin(context, selection, axis.name.c_str(),
                {start->value, start->comment, start->line(), start->guessed()});
  }
}

void draw_type(const FormBuffer& buffer, float width, LaunchPanel& state) {
  ImGui::SetNextItemWidth(width);
  if (!begin_tool_combo("##type", buffer.type.c_str())) return;
  for (const char* type : kTypes) {
    if (!ImGui::Selectable(type, buffer.type == type)) continue;
    set_type(state.draft, buffer, type);
  }
  ImGui::EndCombo();
}

// What a kind of fill has typed beside it at first; empty: nothing is.
std::string first_words(const std::string& kind) {
  return kind == "range" ? "0:10" : kind == "byte" ? "0xff" : kind == "expression" ? "i" : "";
}

const char* help_of(const std::string& kind) {
  return kind == "range"        ? "From a number up to another one, and again: 0:10 or 0:1:0.25."
         : kind == "byte"       ? "Every byte of the buffer: 0xff."
         : kind == "expression" ? "An expression of the index i and the sizes: 2 * i."
                                : "A .npy file in the folder of the kernel's file: in.npy.";
}

void draw_fill(const PanelContext& context, const FormBuffer& buffer, float width,
               const std::string& description, LaunchPanel& state) {
  const std::vector<DescribedField> fields = described_fields(description);
  const bool worded = !first_words(buffer.fill.kind).empty() || buffer.fill.kind == "file";
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const float combo = worded ? std::min(width / 2, context.style.unit(16)) : width;
  ImGui::SetNextItemWidth(combo);
  if (begin_tool_combo("##fill", buffer.fill.kind.c_str())) {
    for (const std::string& kind : fill_kinds()) {
      if (ImGui::Selectable(kind.c_str(), buffer.fill.kind == kind))
        set_fill(state.draft, fields, buffer.name, {kind, first_words(kind)});
    }
    ImGui::EndCombo();
  }
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("What the buffer begins as. Reading an unset buffer is a fault.");
  if (!worded) return;
  ImGui::SameLine();
  std::string words = buffer.fill.words;
  if (box("##words", words, width - combo - gap, help_of(buffer.fill.kind)))
    set_fill(state.draft, fields, buffer.name, {buffer.fill.kind, words});
}

void draw_buffer(const PanelContext& context, Selection& selection, const FormBuffer& buffer,
                 const std::string& description, bool narrow, LaunchPanel& state) {
  const Style& style = context.style;
  const float gap = ImGui::GetStyle().ItemSpacing.x, type = style.unit(9);
  ImGui::PushID(buffer.name.c_str());
  const float room = ImGui::GetContentRegionAvail().x;
  const float half = narrow ? room : (room - gap) / 2;
  draw_type(buffer, type, state);
  ImGui::SameLine();
  std::string count = buffer.count.text;
  if (box("##count", count, half - type - sign_width(style) - 2 * gap,
          buffer.shape_key == "shape" ? "Extents, with commas between them."
                                      : "Elements: a number, or an expression of the sizes."))
    set_count(state.draft, buffer, count);
  ImGui::SameLine();
  draw_origin(context, selection, "of the count", buffer.count);
  if (!narrow) ImGui::SameLine();
  draw_fill(context, buffer, half - sign_width(style) - gap, description, state);
  ImGui::SameLine();
  draw_origin(context, selection, "of the fill", buffer.filled);
  ImGui::PopID();
}

void draw_number(const PanelContext& context, Selection& selection, const LaunchForm& form,
                 std::size_t place, LaunchPanel& state) {
  const FormArgument& argument = form.arguments[place];
  const bool plain = !argument.type.empty();
  std::string text = plain ? argument.value : argument.words;
  const float gap = ImGui::GetStyle().ItemSpacing.x, type = context.style.unit(9);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(plain ? argument.type.c_str() : "value");
  ImGui::SameLine(type + gap);
  const float room = ImGui::GetContentRegionAvail().x - sign_width(context.style) - gap;
  if (box("##value", text, room,
          plain ? "A number, or an expression of the sizes."
                : "struct:{x,i32:n} or bytes:0x0700; “+64” after a buffer is an offset in bytes."))
    set_argument(state.draft, form, place, plain ? argument.type + ":" + text : text);
  for (const FormValue& question : form.questions) {
    if (!question.text.starts_with(argument.name + " ")) continue;
    ImGui::SameLine();
    return draw_origin(context, selection, "of the value", question);
  }
}

void draw_name(const Style& style, const std::string& name, const std::string& declared) {
  ImGui::AlignTextToFramePadding();
  const float room = ImGui::GetContentRegionAvail().x;
  const float wide = ImGui::CalcTextSize(name.c_str()).x;
  draw_fitting_text(name, room);
  if (ImGui::IsItemHovered() && !declared.empty())
    ImGui::SetTooltip("%s: %s", name.c_str(), declared.c_str());
  if (declared.empty() || room - wide < style.unit(7)) return;
  ImGui::SameLine();
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.muted);
  draw_fitting_text(declared, ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
}

}  // namespace

void draw_origin(const PanelContext& context, Selection& selection, const char* id,
                 const FormValue& value) {
  if (value.why.empty()) return ImGui::Dummy({0, 0});
  if (!value.guessed && value.line == 0) return ImGui::Dummy({0, 0});
  const Style& style = context.style;
  ImGui::PushID(id);
  ImGui::PushStyleColor(ImGuiCol_Text, value.guessed ? style.colours.warning : style.colours.muted);
  const std::string sign = value.guessed ? "?" : "¶";
  const bool clicked = small_tool_button(sign.c_str());
  ImGui::PopStyleColor();
  if (ImGui::IsItemHovered()) {
    ImGui::SetTooltip("%s%s", value.why.c_str(),
                      value.line > 0 ? "\nA click shows the line in Source." : "");
  }
  ImGui::PopID();
  const auto text = context.view.shown.catalogue().text(context.view.shown.name());
  if (!clicked || text == nullptr || text->sources.empty()) return;
  selection.show_source = {text->sources.front().path, std::max(value.line, 1)};
  selection.wanted_panel = "source";
}

void draw_launch_fields(const PanelContext& context, Selection& selection, const LaunchForm& form,
                        const std::string& description, LaunchPanel& state) {
  const Style& style = context.style;
  const float width = ImGui::GetContentRegionAvail().x;
  if (!ImGui::BeginTable("form", 2, ImGuiTableFlags_None)) return;
  const float label = std::min(style.unit(26), width * 0.28f);
  const bool narrow = width - label < style.unit(72);
  ImGui::TableSetupColumn("parameter", ImGuiTableColumnFlags_WidthFixed, label);
  ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
  draw_shape(context, selection, form, "grid", state);
  draw_shape(context, selection, form, "block", state);
  draw_shared(context, selection, form, state);
  draw_sizes(context, selection, description, state);
  for (std::size_t i = 0; i < form.arguments.size(); ++i) {
    const FormArgument& argument = form.arguments[i];
    const FormBuffer* buffer = form.buffer(argument.words);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushID(static_cast<int>(i));
    draw_name(style, argument.name, argument.declared);
    ImGui::TableNextColumn();
    if (buffer != nullptr) {
      draw_buffer(context, selection, *buffer, description, narrow, state);
    } else {
      draw_number(context, selection, form, i, state);
    }
    ImGui::PopID();
  }
  for (const FormBuffer& buffer : form.buffers) {
    const bool argument = std::any_of(form.arguments.begin(), form.arguments.end(),
                                      [&](const auto& a) { return a.words == buffer.name; });
    if (argument) continue;
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    draw_name(style, buffer.symbol.empty() ? buffer.name : buffer.symbol,
              buffer.symbol.empty() ? "in a structure" : "__constant__");
    ImGui::TableNextColumn();
    draw_buffer(context, selection, buffer, description, narrow, state);
  }
  ImGui::EndTable();
}

}  // namespace warpscope
