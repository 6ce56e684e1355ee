// workbench/panels/diagrams/diagram.h: what the diagrams of a trace share: heading, steps, cells,
// overviews.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "workbench/panels/panels.h"
#include "workbench/workspace/selection/trace_steps.h"
#include "workbench/workspace/trace_state.h"

//   const Diagram d = begin_diagram(context, selection, "coalescing");
//   if (d.trace == nullptr) return;          // it has said why
//   … draw, write selection.trace.hovering …

namespace warpscope {

struct Diagram {
  const Trace* trace = nullptr;
  bool stale = false;  // drawn hollow
  std::vector<MetricValue> counters;
  const LineCounters* lines = nullptr;  // counted by line and instruction
};
// The figures of each instruction, with all that was counted of it.
std::vector<SiteFigures> counted_figures(const Diagram& diagram);
// Says which of the four states it is in, lists faults, and draws the row that zooms and steps.
Diagram begin_diagram(const PanelContext& context, Selection& selection, const char* panel);
// That row, with what chooses between A and B and the focus. Null: no trace is to be stepped
// through.
void draw_diagram_rows(const PanelContext& context, const Trace* trace, Selection& selection,
                       const char* panel);
// Why there is nothing to draw, with a button that asks for a trace by `request`.
void explain_absence(const PanelContext& context, const Variant& variant, const TraceState& state,
                     request::Trace request);
// Whether Coalescing and Banks show the requests of A and B.
bool shows_pair(const Selection& selection);
// The request a diagram of one family shows: the chosen one, or the nearest in time. Null after
// having said that there is none.
const WarpRequest* diagram_request(const PanelContext& context, const Diagram& diagram,
                                   Selection& selection, RequestFamily family);
// What is drawn of one request.
struct RequestView {
  const Trace& trace;
  const WarpRequest& request;
  bool stale = false;            // drawn hollow
  char pin = 0;                  // 'A' or 'B' in its half of a pair; 0: the focus's
  const Trace* other = nullptr;  // of the other half
  const AccessSite& site() const { return trace.sites[request.site]; }
};
// Lanes above, lines of global memory below; in the width that is left, `height` at most.
void draw_request_lines(const PanelContext& context, Selection& selection, const RequestView& view,
                        float height);
// Banks of shared memory, a row a wavefront; the same.
void draw_request_banks(const PanelContext& context, Selection& selection, const RequestView& view,
                        float height);
// What the colours and signs of the two mean, in one line.
void draw_lines_legend(const Style& style);
void draw_banks_legend(const Style& style, bool other_blocks);
// "ld.global.v4.f32 of B · float4_columns.cu:31", with the chain of inlined positions on hover.
void draw_site_line(const PanelContext& context, Selection& selection, const AccessSite& site);
// The sentence under a diagram.
void draw_caption(const Style& style, const std::string& text, bool good);

// The next item stands beside the last one when `width` is left, else on a line of its own.
void flow(float width);
bool flow_button(const char* text, const char* hint);

void add_hatch(ImDrawList* list, const Box& box, ImU32 colour, float spacing);
void add_box(ImDrawList* list, const Box& box, ImU32 colour);
void add_outline(ImDrawList* list, const Box& box, ImU32 colour, float width);
// One cell with its lanes' colours side by side.
void add_lanes(ImDrawList* list, const Style& style, const Box& box, std::uint32_t lanes,
               bool hollow);
// Text in the middle of a box, left out where it has no room.
void add_centred(ImDrawList* list, const Box& box, ImU32 colour, const std::string& text);
// "lane 0 ▇▇▇▇▇ 31", "few ▇▇▇ many": what the colours mean, with numbers at both ends.
void draw_lane_legend(const Style& style);
void draw_block_legend(const Style& style, std::int64_t blocks);
void draw_heat_legend(const Style& style, const std::string& low, const std::string& high);

// All blocks of the grid; a click asks for a block's requests.
void draw_grid_overview(const PanelContext& context, const Diagram& diagram, Selection& selection,
                        float height);
// The requests of all warps, or of one, a column each, as hot as what they cost beyond the ideal;
// a click chooses.
void draw_request_strip(const PanelContext& context, const Diagram& diagram, Selection& selection,
                        const std::vector<RequestCost>& costs, RequestFamily family, float height);
// The roles and barriers of a trace, kept until it is another one.
TraceKey trace_key(const Trace& trace);
const BlockStory& story_of(const Trace& trace, BlockStories& kept);
const std::vector<RequestCost>& costs_of(const Trace& trace, TraceCosts& kept);

// The table by instruction: modelled beside measured, sortable; a click chooses the instruction.
void draw_site_table(const PanelContext& context, const Diagram& diagram, Selection& selection,
                     RequestFamily family, TableFilter& filter);

}  // namespace warpscope
