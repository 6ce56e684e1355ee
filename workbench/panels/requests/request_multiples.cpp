// workbench/panels/requests/request_multiples.cpp: all requests of a source line, as small
// pictures.
#include "workbench/panels/requests/request_multiples.h"

#include <imgui.h>

#include <algorithm>

#include "profiling/access/bank_groups.h"
#include "scenes/base/plural.h"
#include "workbench/drawing/focus.h"

namespace warpscope {
namespace {

constexpr int kWords = 32;    // of a line, and banks
constexpr int kMostRows = 8;  // lines or wavefronts that a small picture shows
constexpr float kLeastWidth = 20, kCellHeight = 0.75f, kGap = 0.75f;  // in units

float line_height(const Style& style) { return style.unit(kCellHeight); }

float picture_height(const Style& style, int rows) {
  return static_cast<float>(rows) * line_height(style) + 2 * ImGui::GetTextLineHeight() +
         style.unit(kGap);
}

// A word or a bank's slot of a small picture.
Box cell_of(ImVec2 at, float width, float height, int row, int column) {
  const float cell = width / kWords;
  const float x = at.x + static_cast<float>(column) * cell,
              y = at.y + static_cast<float>(row) * height;
  return {x, y, x + cell, y + height - 1};
}

// Lines of global memory: words in their lanes' colours, sectors that were fetched below them.
int draw_lines_of(const Style& style, const RequestView& view, ImVec2 at, float width) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto lines = touched_lines(view.request, view.site().width_bytes);
  const int rows = std::min(static_cast<int>(lines.size()), kMostRows);
  for (int row = 0; row < rows; ++row) {
    const TouchedLine& line = lines[static_cast<std::size_t>(row)];
    for (int word = 0; word < kWords; ++word) {
      const Box box = cell_of(at, width, line_height(style), row, word);
      const std::uint32_t lanes = line.word_lanes[static_cast<std::size_t>(word)];
      const bool fetched = (line.sectors >> (word / 8) & 1) != 0;
      if (lanes != 0) {
        add_lanes(list, style, box, lanes, view.stale);
      } else {
        add_box(list, box, fetched ? style.colours.border : faded(style.colours.raised, 0.3f));
      }
    }
  }
  return static_cast<int>(lines.size());
}

// Wavefronts of shared memory: banks in their lanes' colours.
int draw_wavefronts_of(const Style& style, const RequestView& view, ImVec2 at, float width) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto waves = wavefronts(view.request, view.site().width_bytes, view.site().kind);
  const int rows = std::min(static_cast<int>(waves.size()), kMostRows);
  for (int row = 0; row < rows; ++row) {
    const Wavefront& wave = waves[static_cast<std::size_t>(row)];
    for (int bank = 0; bank < kWords; ++bank) {
      const Box box = cell_of(at, width, line_height(style), row, bank);
      if (wave.word[static_cast<std::size_t>(bank)] < 0) {
        add_box(list, box, faded(style.colours.raised, 0.5f));
      } else {
        add_lanes(list, style, box, wave.lanes[static_cast<std::size_t>(bank)], view.stale);
      }
    }
  }
  return static_cast<int>(waves.size());
}

// One small picture with its warp and cost below; true: it was clicked.
bool draw_multiple(const Style& style, const RequestView& view, RequestFamily family,
                   const RequestCost& cost, bool chosen, float width, float height) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked = ImGui::Selectable("##request", chosen, 0, {width, height});
  const bool hovered = ImGui::IsItemHovered();
  const bool shared = family == RequestFamily::shared;
  const int rows =
      shared ? draw_wavefronts_of(style, view, at, width) : draw_lines_of(style, view, at, width);
  const std::string unit = shared ? "wavefront" : "sector";
  const std::string words =
      plural(cost.cost, unit) +
      (cost.cost > cost.ideal ? ", " + std::to_string(cost.ideal) + " would do" : "");
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float text = at.y + height - style.unit(kGap) - 2 * ImGui::GetTextLineHeight();
  list->AddText({at.x, text}, style.colours.muted,
                fitting("warp " + std::to_string(view.request.warp) +
                            (rows > kMostRows ? " · " + std::to_string(kMostRows) + " of " +
                                                    std::to_string(rows) + " rows"
                                              : ""),
                        width)
                    .c_str());
  list->AddText({at.x, text + ImGui::GetTextLineHeight()},
                cost.cost > cost.ideal ? style.colours.warning : style.colours.text,
                fitting(words, width).c_str());
  if (hovered)
    ImGui::SetTooltip("%s\nClick: this request.", describe(view.request, view.site()).c_str());
  return clicked;
}

}  // namespace

void draw_multiples_switch(const Style& style, bool& shown) {
  if (for_slides()) return;
  const char* words = shown ? "this request alone" : "all requests of this line";
  ImGui::PushStyleColor(ImGuiCol_Text, shown ? style.colours.accent : style.colours.text);
  if (small_tool_button(words)) shown = !shown;
  ImGui::PopStyleColor();
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip(shown ? "Shows one request in full."
                            : "Small pictures of what this line requested in all warps of "
                              "the block, those with most waste first.");
}

void draw_request_multiples(const PanelContext& context, const Diagram& diagram,
                            Selection& selection, RequestFamily family,
                            const std::vector<RequestCost>& costs, LineMultiples& state,
                            float height) {
  const Style& style = context.style;
  const Trace& trace = *diagram.trace;
  const NearRequest shown = shown_request(selection.trace, trace, family);
  if (!shown.request) return;
  const SourcePosition& position = trace.sites[trace.requests[*shown.request].site].position;
  const LineRequests& line =
      state.found.of(LineMultiples::Line{trace_key(trace), position.file, position.line},
                     [&] { return requests_of_line(trace, position, family, costs); });
  const std::vector<std::size_t>& found = line.requests;
  const int rows = std::clamp<int>(line.most_rows, 1, kMostRows);
  ImGui::BeginChild("multiples", {0, height}, kReached);
  draw_note(style, plural(std::ssize(found), "request") + " of this line in the block");
  // As many as have room for their words, and together as wide as the panel.
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const float room = ImGui::GetContentRegionAvail().x + gap;
  const int columns = std::max(1, static_cast<int>(room / (style.unit(kLeastWidth) + gap)));
  const float width = room / static_cast<float>(columns) - gap;
  const int count = static_cast<int>(found.size());
  ImGuiListClipper clipper;
  clipper.Begin((count + columns - 1) / columns,
                picture_height(style, rows) + ImGui::GetStyle().ItemSpacing.y);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart * columns; i < std::min(clipper.DisplayEnd * columns, count);
         ++i) {
      if (i % columns != 0) ImGui::SameLine();
      const std::size_t request = found[static_cast<std::size_t>(i)];
      ImGui::PushID(i);
      if (draw_multiple(style, {trace, trace.requests[request], diagram.stale}, family,
                        costs[request], request == *shown.request, width,
                        picture_height(style, rows))) {
        choose_request(selection.trace, trace, request);
        state.shown = false;
      }
      ImGui::PopID();
    }
  }
  ImGui::EndChild();
}

}  // namespace warpscope
