// workbench/panels/diagrams/warp_map_panel.cpp: which warp and lane writes or reads which array
// element.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>

#include "workbench/drawing/focus.h"
#include "workbench/drawing/keys.h"
#include "workbench/panels/diagrams/diagram.h"
#include "workbench/panels/diagrams/warp_map_tiles.h"
#include "workbench/panels/diagrams/warp_map_tooltip.h"
#include "workbench/panels/terms.h"

namespace warpscope {
namespace {

constexpr std::array<const char*, 4> kColours = {"lane", "warp", "time", "block"};

// The view of a zoom level: the whole array, or what the level's requests touch.
MapView view_for(const TraceSelection& t, const Trace& trace, std::size_t output,
                 const ArrayShape& array, const std::vector<ElementAccess>& accesses) {
  if (t.zoom == TraceZoom::grid) return fit_map(array, {});
  std::vector<ElementAccess> looked_at;
  std::copy_if(accesses.begin(), accesses.end(), std::back_inserter(looked_at),
               [&](const ElementAccess& access) { return in_zoom(t, trace, output, access); });
  return fit_map(array, looked_at.empty() ? accesses : looked_at);
}

// The view of what is chosen: the elements of the request, of its clicked lane alone where there is
// one. The same view where it touches nothing of the array.
MapView view_of_selection(const TraceSelection& t, const MapView& view, std::size_t output,
                          const ArrayShape& array, const std::vector<ElementAccess>& accesses) {
  std::vector<ElementAccess> chosen;
  std::copy_if(accesses.begin(), accesses.end(), std::back_inserter(chosen),
               [&](const ElementAccess& access) {
                 return access.request == output && (t.lane < 0 || access.lane == t.lane);
               });
  return chosen.empty() ? view : fit_map(array, chosen);
}

// Wheel, drag and keys, as in plots; Z is the panel's own.
void take_input(const Box& area, const ArrayShape& array, MapView& view, bool hovered,
                bool* refit) {
  if (!hovered) return;
  const ImGuiIO& io = ImGui::GetIO();
  const double px = (io.MousePos.x - area.x0) / area.width(),
               py = (io.MousePos.y - area.y0) / area.height();
  const double pace = io.KeyCtrl ? 0.25 : io.KeyShift ? 4 : 1;
  if (io.MouseWheel != 0)
    view = zoom_map(view, array, px, py, std::pow(0.85, io.MouseWheel * pace));
  if (ImGui::IsMouseDragging(ImGuiMouseButton_Right, 2))
    view = pan_map(view, array, -io.MouseDelta.x / area.width(), -io.MouseDelta.y / area.height());
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) *refit = true;
  if (io.WantTextInput) return;
  const double step = 0.02 * pace;
  double dx = 0, dy = 0;
  if (key_down(ImGuiKey_LeftArrow) || letter_down('A')) dx = -step;
  if (key_down(ImGuiKey_RightArrow) || letter_down('D')) dx = step;
  if (key_down(ImGuiKey_UpArrow)) dy = -step;
  if (key_down(ImGuiKey_DownArrow)) dy = step;
  if (!io.KeyCtrl && letter_down('W')) view = zoom_map(view, array, px, py, std::pow(0.95, pace));
  if (!io.KeyCtrl && letter_down('S')) view = zoom_map(view, array, px, py, std::pow(0.95, -pace));
  if (dx != 0 || dy != 0) view = pan_map(view, array, dx, dy);
}

// What the chosen warp (or the hovered element's lane) read of another array, beside the map.
void draw_inputs(const MapPainter& paint, const Box& area, const TracedBuffer& buffer,
                 const std::vector<std::size_t>& requests, int only_lane) {
  const ArrayShape array = array_shape(buffer);
  const std::vector<ElementAccess> touched =
      element_accesses(paint.trace, buffer, requests, only_lane);
  const MapView view = fit_map(array, touched);
  const MapDetail detail = detail_of(paint.style, view, area);
  draw_ground(paint.style, area, view, buffer);
  MapPainter all = paint;
  all.until = ~0ULL;
  all.beside = true;
  draw_tiles(all, area, view, detail, tiles_in(all, view, detail, array, touched));
}

std::string caption_of(const Trace& trace, const TracedBuffer& buffer,
                       const ElementSummary& summary, bool reads) {
  const auto number = [](std::int64_t v) { return format_value(static_cast<double>(v), "1"); };
  const std::string block = "block " + number(trace.scope.block), array = array_name(buffer);
  // What comes after the kept requests may touch more, or touch it again.
  const std::string cut = "The trace of " + block + " was cut short after " +
                          number(static_cast<std::int64_t>(trace.requests.size())) + " requests: ";
  if (trace.truncated && summary.elements == 0)
    return cut + "none of them " + (reads ? "reads " : "writes ") + array +
           ", and what the others do is not known.";
  const std::string text =
      (trace.truncated ? cut + "they " + (reads ? "read " : "write ")
                       : "Block " + number(trace.scope.block) + (reads ? " reads " : " writes ")) +
      number(summary.elements) + " of the " + number(element_count(buffer)) + " elements of " +
      array;
  if (summary.elements == 0) return text + ".";
  return text +
         (summary.most == 1 ? ", each once." : ", up to " + number(summary.most) + " times each.");
}

void draw_controls(const PanelContext& context, const Trace& trace, Selection& selection,
                   WarpMapPanel& state) {
  const Style& style = context.style;
  TraceSelection& t = selection.trace;
  const TracedBuffer* buffer = find_buffer(trace, t.buffer);
  const std::string shown = buffer == nullptr ? "–" : buffer->symbol;
  const float whole = ImGui::CalcTextSize(shown.c_str()).x + ImGui::GetFrameHeight() +
                      2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SetNextItemWidth(
      std::min(std::max(whole, style.unit(15)), ImGui::GetContentRegionAvail().x));
  if (begin_tool_combo("##array", shown.c_str())) {
    for (const TracedBuffer& other : trace.buffers) {
      if (ImGui::Selectable((other.symbol.empty() ? other.name : other.symbol).c_str(),
                            other.name == t.buffer))
        t.buffer = other.name;
    }
    ImGui::EndCombo();
  }
  if (flow_button(t.reads ? "who reads" : "who writes",
                  "Shows readers or writers: click for the "
                  "other."))
    t.reads = !t.reads;
  const std::string by = std::string("colour: ") +
                         kColours[static_cast<std::size_t>(state.colour_by) % kColours.size()];
  if (flow_button(by.c_str(),
                  "Lane, warp, the time of the access, or the block: click for the next."))
    state.colour_by = (state.colour_by + 1) % static_cast<int>(kColours.size());
  if (flow_button(t.so_far || t.playing ? "up to the request" : "all of the block",
                  "All accesses of the block, or only those up to the chosen request."))
    t.so_far = !t.so_far;
}

// Finds the accesses of the array again where the trace, the array or the direction is another.
// Returns what they are of.
WarpMapPanel::Array find_accesses(const Trace& trace, const TracedBuffer& buffer,
                                  const TraceSelection& t, WarpMapPanel& state) {
  const WarpMapPanel::Array of{trace_key(trace), t.buffer, t.reads};
  if (state.of.changes_to(of)) {
    state.accesses = element_accesses(trace, buffer, !t.reads);
    state.summary = summary(trace, state.accesses);
  }
  return of;
}

// What was read for one write: of the hovered element's lane, else of the chosen request.
struct ReadsOfWrite {
  std::size_t output = 0;  // the request that writes
  int lane = -1;           // the lane in question; -1: all
  std::vector<std::size_t> inputs;
  const TracedBuffer* from = nullptr;  // the other array that most bytes are read of; null: none
};

// Lanes that read one address together read its bytes once.
std::int64_t bytes_of(const Trace& trace, const WarpRequest& request) {
  std::array<std::uint64_t, kWarpLanes> addresses = request.addresses;
  std::sort(addresses.begin(), addresses.end());
  const auto end = std::unique(addresses.begin(), addresses.end());
  const std::int64_t idle = request.active == ~0U ? 0 : 1;  // all of them have address 0
  return (end - addresses.begin() - idle) * trace.sites[request.site].width_bytes;
}

ReadsOfWrite reads_of_write(const MapPainter& paint, const TracedBuffer& buffer,
                            const std::vector<ElementAccess>& accesses) {
  const Trace& trace = paint.trace;
  const TraceSelection& t = paint.t;
  const bool here = t.hovered.buffer == t.buffer;
  ReadsOfWrite found{paint.output, here ? t.hovered.lane : t.lane, {}, nullptr};
  if (here && t.hovered.element >= 0) {
    if (const ElementAccess* access = access_of(paint, accesses, t.hovered.element))
      found.output = access->request;
  }
  if (t.reads || found.output >= trace.requests.size() ||
      !writes(trace.sites[trace.requests[found.output].site].kind))
    return found;
  // Those of the lane in question; for all lanes, those of the first active one stand for the
  // requests.
  const std::uint32_t active = trace.requests[found.output].active;
  const int of_lane = found.lane >= 0 && (active >> found.lane & 1U) != 0
                          ? found.lane
                          : std::countr_zero(active | 0x80000000U);
  found.inputs = inputs_of(trace, found.output, of_lane);
  std::map<const TracedBuffer*, std::int64_t> bytes;
  for (const std::size_t input : found.inputs) {
    const WarpRequest& request = trace.requests[input];
    const TracedBuffer* read = find_buffer(trace, trace.sites[request.site].buffer);
    if (read == nullptr || read == &buffer) continue;
    const std::int64_t all = bytes[read] += bytes_of(trace, request);
    if (found.from == nullptr || all > bytes[found.from]) found.from = read;
  }
  return found;
}

// The tiles of the view or, where `writers` is given, what every block wrote of it. Made again
// where the view, its detail or the time shown changed.
void draw_accesses(const MapPainter& paint, const Box& area, const ArrayShape& array,
                   const WriterMap* writers, const WarpMapPanel::Array& of, WarpMapPanel& state) {
  const MapDetail detail = detail_of(paint.style, state.view, area);
  if (state.in_view.changes_to({of, state.view, detail, paint.until, writers != nullptr})) {
    state.tiles = tiles_in(paint, state.view, detail, array, state.accesses);
    state.runs = writers == nullptr ? std::vector<WriterRun>{}
                                    : writer_runs(*writers, array, state.view, detail);
  }
  if (writers != nullptr) {
    draw_runs(paint, area, state.view, detail, state.runs);
  } else {
    draw_tiles(paint, area, state.view, detail, state.tiles);
  }
}

// A frame around the element that any diagram hovers.
void outline_hovered(const Style& style, const TraceSelection& t, const Box& area,
                     const MapView& view, const ArrayShape& array) {
  if (t.hovered.buffer != t.buffer || t.hovered.element < 0) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Box box = tile_box(view, {1, 1}, area, t.hovered.element / array.columns,
                           t.hovered.element % array.columns);
  list->PushClipRect({area.x0, area.y0}, {area.x1, area.y1}, true);
  add_outline(list, {box.x0 - 1, box.y0 - 1, box.x1 + 1, box.y1 + 1}, style.colours.text,
              style.unit(0.25f));
  list->PopClipRect();
}

void draw_caption_of(const MapPainter& paint, const TracedBuffer& buffer,
                     const ElementSummary& summary, const BlockRoles& roles,
                     const ReadsOfWrite& read) {
  std::string caption = caption_of(paint.trace, buffer, summary, paint.t.reads);
  if (!paint.t.reads && read.from == nullptr && summary.elements > 0)
    caption += " Nothing was read of another array for the chosen write.";
  if (read.from != nullptr) {
    const std::uint32_t warp = paint.trace.requests[read.output].warp;
    caption += " Right: what was read of " + array_name(*read.from) + " for " +
               (read.lane >= 0 ? "lane " + std::to_string(read.lane) + "'s"
                               : "warp " + std::to_string(warp) + "'s") +
               " write.";
  }
  for (std::size_t r = 0; r < roles.roles.size() && roles.any(); ++r) {
    const WarpRole& role = roles.roles[r];
    caption += (r == 0 ? " Roles: " : ", ") + role.name + " " + warps_text(role.warps);
  }
  if (roles.any()) caption += ".";
  draw_sentence(caption);
}

// "■ 3": one of few things that have a colour each.
void draw_key(const Style& style, ImU32 colour, const std::string& name) {
  const std::string text = "■ " + name;
  flow(ImGui::CalcTextSize(text.c_str()).x + style.unit(1));
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopStyleColor();
}

void draw_legend(const MapPainter& paint, const BlockRoles& roles, bool all_blocks) {
  const Style& style = paint.style;
  if (paint.colour_by == kByBlock) {
    const std::int64_t blocks = block_count(paint.trace.launch);
    if (!all_blocks) {
      ImGui::TextDisabled(paint.t.reads ? "the traced block alone: who reads is kept of it"
                                        : "the traced block alone: trace the grid for the others");
    } else if (blocks > kBlockColours) {
      draw_block_legend(style, blocks);
    } else {
      ImGui::TextDisabled("all blocks");
      for (std::int64_t block = 0; block < blocks; ++block)
        draw_key(style, block_colour(style, block, blocks), std::to_string(block));
    }
  } else if (paint.colour_by == kByTime) {
    draw_heat_legend(style, "instruction 0", std::to_string(paint.last_order));
  } else if (paint.colour_by == kByWarp) {
    ImGui::TextDisabled("warp");
    for (int warp = 0; warp < std::min(8, warps_of(paint.trace.launch)); ++warp) {
      draw_key(style, variant_colour(style, warp), std::to_string(warp) + roles.suffix(warp));
    }
  } else {
    draw_lane_legend(style);
  }
}

// The array with its accesses in `area`: takes the pointer and the keys, then draws. `shown` is
// what the view is of; another one has a view of its own.
void draw_map(const MapPainter& paint, const Box& area, const TracedBuffer& buffer,
              const WarpMapPanel::Fitted& shown, const WriterMap* writers,
              const PanelContext& context, Selection& selection, WarpMapPanel& state) {
  const TraceSelection& t = selection.trace;
  const ArrayShape array = array_shape(buffer);
  if (state.shown.changes_to(shown))
    state.view = view_for(t, paint.trace, paint.output, array, state.accesses);
  ImGui::SetCursorScreenPos({area.x0, area.y0});
  press_area("map", {std::max(area.width(), 8.0f), area.height()},
             ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
  const bool hovered = ImGui::IsItemHovered();
  bool refit = false;
  take_input(area, array, state.view, hovered, &refit);
  if (hovered && !ImGui::GetIO().WantTextInput && !ImGui::GetIO().KeyCtrl && letter_pressed('Z'))
    state.view = view_of_selection(t, state.view, paint.output, array, state.accesses);
  if (refit) state.shown.forget();
  draw_ground(paint.style, area, state.view, buffer);
  draw_accesses(paint, area, array, writers, shown.array, state);
  outline_hovered(paint.style, t, area, state.view, array);
  if (hovered) explain_pointed(paint, area, buffer, writers, state, context, selection);
}

}  // namespace

void draw_warp_map_panel(const PanelContext& context, Selection& selection, WarpMapPanel& state) {
  const Style& style = context.style;
  const Diagram diagram = begin_diagram(context, selection, "warp_map");
  if (diagram.trace == nullptr) return;
  const Trace& trace = *diagram.trace;
  const TraceSelection& t = selection.trace;
  draw_controls(context, trace, selection, state);
  const TracedBuffer* buffer = find_buffer(trace, t.buffer);
  if (buffer == nullptr || element_count(*buffer) == 0)
    return draw_note(style, "The kernel was given no array to draw.");
  WarpMapPanel::Fitted shown{find_accesses(trace, *buffer, t, state), t.zoom, std::nullopt};
  // The request on this array that stands for the chosen one.
  const std::size_t focus = request_on(trace, *buffer, !t.reads, t.request).value_or(t.request);
  // Each level of the zoom has its own view, and so has each warp and request.
  if (t.zoom == TraceZoom::warp) shown.of_zoom = t.warp;
  if (t.zoom == TraceZoom::request) shown.of_zoom = focus;
  MapPainter paint{style,
                   trace,
                   t,
                   state.colour_by,
                   std::max<std::uint64_t>(1, state.summary.last_order),
                   ~0ULL,
                   diagram.stale,
                   focus};
  const WarpRequest* chosen = chosen_request(t, trace);
  if ((t.so_far || t.playing) && chosen != nullptr) paint.until = chosen->order;
  const ReadsOfWrite read = reads_of_write(paint, *buffer, state.accesses);
  const float line = ImGui::GetTextLineHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const float captions = line * (story_of(trace, state.story).roles.any() ? 5.8f : 4.6f);
  const float left = ImGui::CalcTextSize("100 000 ").x;
  const float height = std::max(room.y - captions - line, style.unit(6));
  const float share = t.reads ? 1.0f : 0.62f;  // the map keeps its place, inputs or none
  const Box area{at.x + left, at.y + line + 2, at.x + room.x * share - style.unit(0.5f),
                 at.y + line + 2 + height};
  // All blocks if the grid was run; else the traced block alone has its colour.
  const WriterMap* writers =
      state.colour_by == kByBlock && !t.reads ? find_writers(trace, *buffer) : nullptr;
  draw_map(paint, area, *buffer, shown, writers, context, selection, state);
  if (!t.reads) {
    const Box second{area.x1 + left + style.unit(1), area.y0, at.x + room.x - style.unit(0.5f),
                     area.y1};
    if (read.from != nullptr && second.width() > style.unit(4)) {
      draw_inputs(paint, second, *read.from, read.inputs, read.lane);
    } else {
      add_outline(ImGui::GetWindowDrawList(), second, style.colours.border, 1);
    }
  }
  ImGui::SetCursorScreenPos({at.x, area.y1 + style.unit(0.5f)});
  const BlockRoles& roles = story_of(trace, state.story).roles;
  draw_caption_of(paint, *buffer, state.summary, roles, read);
  draw_legend(paint, roles, writers != nullptr);
}

}  // namespace warpscope
