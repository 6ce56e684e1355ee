// workbench/panels/diagrams/diagram.cpp: what the diagrams of a trace share: the request, its cells
// and colours.
#include "workbench/panels/diagrams/diagram.h"

#include <imgui.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "workbench/panels/terms.h"

namespace warpscope {
namespace {

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::vector<SiteFigures> counted_figures(const Diagram& diagram) {
  std::vector<SiteFigures> figures = site_figures(*diagram.trace, diagram.counters);
  add_line_counts(figures, *diagram.trace, diagram.lines);
  return figures;
}

const WarpRequest* diagram_request(const PanelContext& context, const Diagram& diagram,
                                   Selection& selection, RequestFamily family) {
  const NearRequest shown = shown_request(selection.trace, *diagram.trace, family);
  if (!shown.note.empty()) draw_note(context.style, shown.note);
  return shown.request ? &diagram.trace->requests[*shown.request] : nullptr;
}

void draw_site_line(const PanelContext& context, Selection& selection, const AccessSite& site) {
  const std::string text = site.text + (site.buffer.empty() ? "" : " of " + site.buffer) + " · " +
                           file_name(site.position.file) + ":" + std::to_string(site.position.line);
  ImGui::PushStyleColor(ImGuiCol_Text, context.style.colours.muted);
  draw_fitting_text(text, ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
  if (!ImGui::IsItemHovered()) return;
  selection.trace.hovering.file = site.position.file;
  selection.trace.hovering.line = site.position.line;
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left))
    selection.show_source = {site.position.file, site.position.line};
  std::string chain = text;
  for (const SourcePosition& p : site.inlined_at)
    chain += "\n  in " + p.file + ":" + std::to_string(p.line);
  ImGui::SetTooltip("%s\nClick: this line in Source.", chain.c_str());
}

void draw_caption(const Style& style, const std::string& text, bool good) {
  ImGui::PushStyleColor(ImGuiCol_Text, good ? style.colours.good : style.colours.warning);
  ImGui::TextUnformatted(good ? "✔" : "⚠");
  ImGui::PopStyleColor();
  ImGui::SameLine(0, style.unit(0.75f));
  draw_sentence(text);
}

void flow(float width) {
  const float end = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  if (ImGui::GetItemRectMax().x + ImGui::GetStyle().ItemSpacing.x + width < end) ImGui::SameLine();
}

bool flow_button(const char* text, const char* hint) {
  flow(ImGui::CalcTextSize(text).x + 2 * ImGui::GetStyle().FramePadding.x);
  const bool clicked = small_tool_button(text);
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", hint);
  return clicked;
}

void add_box(ImDrawList* list, const Box& box, ImU32 colour) {
  list->AddRectFilled({box.x0, box.y0}, {box.x1, box.y1}, colour);
}

void add_outline(ImDrawList* list, const Box& box, ImU32 colour, float width) {
  list->AddRect({box.x0, box.y0}, {box.x1, box.y1}, colour, 0, width);
}

void add_hatch(ImDrawList* list, const Box& box, ImU32 colour, float spacing) {
  list->PushClipRect({box.x0, box.y0}, {box.x1, box.y1}, true);
  const int lines = static_cast<int>(std::ceil((box.width() + box.height()) / spacing));
  for (int line = 0; line < lines; ++line) {
    const float at = box.x0 - box.height() + static_cast<float>(line) * spacing;
    list->AddLine({at, box.y1}, {at + box.height(), box.y0}, colour);
  }
  list->PopClipRect();
}

void add_lanes(ImDrawList* list, const Style& style, const Box& box, std::uint32_t lanes,
               bool hollow) {
  const int most = std::max(1, static_cast<int>(box.width() / std::max(1.0f, style.unit(0.25f))));
  for (const auto& [lane, part] : split_by_lane(box, lanes, most)) {
    const ImU32 colour = lane_colour(style, lane);
    // On an opaque ground: a hatch below means fetched and not used, whatever is stale.
    if (hollow) add_box(list, part, style.colours.panel);
    add_box(list, part, hollow ? faded(colour, 0.35f) : colour);
  }
  if (hollow && std::popcount(lanes) == 1)
    add_outline(list, box, lane_colour(style, std::countr_zero(lanes)), 1);
}

void add_centred(ImDrawList* list, const Box& box, ImU32 colour, const std::string& text) {
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  if (size.x > box.width() || size.y > box.height() + 2) return;
  list->AddText({(box.x0 + box.x1 - size.x) / 2, (box.y0 + box.y1 - size.y) / 2}, colour,
                text.c_str());
}

namespace {

void draw_ramp(const Style& style, const std::string& low, const std::string& high,
               const std::function<ImU32(float)>& colour) {
  constexpr int kSteps = 32;
  const float width = style.unit(12);
  ImGui::TextDisabled("%s", low.c_str());
  ImGui::SameLine(0, style.unit(0.5f));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetTextLineHeight();
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (int i = 0; i < kSteps; ++i) {
    const float left = at.x + width * static_cast<float>(i) / kSteps;
    add_box(list, {left, at.y + height * 0.25f, left + width / kSteps, at.y + height * 0.85f},
            colour(static_cast<float>(i) / (kSteps - 1)));
  }
  ImGui::Dummy({width, height});
  ImGui::SameLine(0, style.unit(0.5f));
  ImGui::TextDisabled("%s", high.c_str());
}

}  // namespace

void draw_lane_legend(const Style& style) {
  draw_ramp(style, "lane 0", "31",
            [&](float at) { return lane_colour(style, static_cast<int>(std::lround(at * 31))); });
}

void draw_block_legend(const Style& style, std::int64_t blocks) {
  draw_ramp(style, "all blocks, 0", std::to_string(blocks - 1),
            [&](float at) { return lane_colour(style, static_cast<int>(std::lround(at * 31))); });
}

void draw_heat_legend(const Style& style, const std::string& low, const std::string& high) {
  draw_ramp(style, low, high, [&](float at) { return heat_colour(style, at); });
}

}  // namespace warpscope
