// workbench/panels/warp_map_panel.cpp: which warp and lane writes or reads which array element.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>

#include "workbench/drawing/keys.h"
#include "workbench/panels/diagram.h"

namespace warpscope {
namespace {

constexpr std::array<const char*, 4> kColours = {"lane", "warp", "time", "block"};
constexpr int kByWarp = 1, kByTime = 2, kByBlock = 3;
// Up to so many blocks have a colour each; more go along the ramp of lanes.
constexpr std::int64_t kBlockColours = 8;

ImU32 block_colour(const Style& style, std::int64_t block, std::int64_t blocks) {
  if (blocks <= kBlockColours) return variant_colour(style, static_cast<int>(block));
  return lane_colour(style, static_cast<int>(block * (kWarpLanes - 1) / (blocks - 1)));
}

// Whether an access belongs to what the zoom looks at; `output` is the request that stands for the
// chosen one.
bool in_zoom(const TraceSelection& t, const Trace& trace, std::size_t output,
             const ElementAccess& access) {
  const WarpRequest& request = trace.requests[access.request];
  if (t.zoom == TraceZoom::warp) return request.warp == t.warp;
  if (t.zoom == TraceZoom::request) return access.request == output;
  return true;
}

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

MapDetail detail_of(const Style& style, const MapView& view, const Box& area) {
  return map_detail(view, area.width(), area.height(), style.unit(0.25f));
}

struct Painter {
  const Style& style;
  const Trace& trace;
  const TraceSelection& t;
  int colour_by = 0;
  std::uint64_t last_order = 1;
  std::uint64_t until = ~0ULL;  // later accesses are left out
  bool stale = false;
  std::size_t output = 0;  // the request that the zoom looks at
  bool beside = false;     // the second array: nothing in it is dimmed

  bool shows(const ElementAccess& access) const {
    return trace.requests[access.request].order <= until;
  }
  ImU32 colour(const ElementAccess& access) const {
    const WarpRequest& r = trace.requests[access.request];
    if (colour_by == kByWarp) return variant_colour(style, static_cast<int>(r.warp));
    if (colour_by == kByBlock) return block_colour(style, r.block, block_count(trace.launch));
    if (colour_by == kByTime)
      return heat_colour(style, static_cast<double>(r.order) / static_cast<double>(last_order));
    return lane_colour(style, access.lane);
  }
};

// Ground, rows and columns, and the axis numbers of an array.
void draw_ground(const Style& style, const Box& area, const MapView& view,
                 const TracedBuffer& buffer) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  add_box(list, area, faded(style.colours.raised, 0.45f));
  const float digit = ImGui::CalcTextSize("0").x, line = ImGui::GetTextLineHeight();
  const auto numbers = [&](double low, double high, int most, bool down) {
    float taken = -1e9f;
    for (const Tick& tick : ticks({false, low, high}, "", most)) {
      if (tick.value != std::floor(tick.value)) continue;
      const std::string text = format_value(tick.value, "1");
      const auto p = static_cast<float>((tick.value + 0.5 - low) / (high - low));
      if (p < 0 || p > 1) continue;
      const ImVec2 size = ImGui::CalcTextSize(text.c_str());
      if (down) {
        const float y = std::max(area.y0, area.y0 + p * area.height() - line / 2);
        if (y < taken || y + line > area.y1 + line / 2) continue;
        list->AddText({area.x0 - size.x - digit * 0.75f, y}, style.colours.muted, text.c_str());
        taken = y + line;
      } else {
        const float x =
            std::clamp(area.x0 + p * area.width() - size.x / 2, area.x0, area.x1 - size.x);
        if (x < taken) continue;
        list->AddText({x, area.y0 - line - 1}, style.colours.muted, text.c_str());
        taken = x + size.x + digit;
      }
    }
  };
  numbers(view.top, view.bottom, std::max(2, static_cast<int>(area.height() / (line * 2))), true);
  numbers(view.left, view.right, std::max(2, static_cast<int>(area.width() / (digit * 8))), false);
  const std::string name = array_name(buffer);
  list->AddText({area.x0 - ImGui::CalcTextSize(name.c_str()).x - digit * 1.75f, area.y0 - line - 1},
                style.colours.text, name.c_str());
}

// The tiles of the accesses that are in view and shown.
std::vector<MapTile> tiles_in(const Painter& paint, const MapView& view, const MapDetail& detail,
                              const ArrayShape& array, const std::vector<ElementAccess>& accesses) {
  const auto row_begin = [&](double row) {
    const auto element = static_cast<std::int64_t>(std::max(0.0, std::floor(row))) * array.columns;
    return std::partition_point(accesses.begin(), accesses.end(),
                                [&](const ElementAccess& a) { return a.element < element; });
  };
  std::vector<ElementAccess> shown;
  std::copy_if(row_begin(view.top), row_begin(view.bottom + 1), std::back_inserter(shown),
               [&](const ElementAccess& access) { return paint.shows(access); });
  return map_tiles(shown, array, detail);
}

void draw_tiles(const Painter& paint, const Box& area, const MapView& view, const MapDetail& detail,
                const std::vector<MapTile>& tiles) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Hovered& h = paint.t.hovered;
  list->PushClipRect({area.x0, area.y0}, {area.x1, area.y1}, true);
  for (const MapTile& tile : tiles) {
    Box box = tile_box(view, detail, area, tile.row, tile.column);
    if (box.x1 < area.x0 || box.x0 > area.x1) continue;
    if (box.width() > 4) box.x1 -= 1;
    if (box.height() > 4) box.y1 -= 1;
    const WarpRequest& request = paint.trace.requests[tile.last.request];
    const bool near = paint.beside || in_zoom(paint.t, paint.trace, paint.output, tile.last);
    const bool lit = (h.lane < 0 || tile.last.lane == h.lane) &&
                     (h.request < 0 || paint.beside || tile.last.request == h.request) &&
                     (h.warp < 0 || static_cast<int>(request.warp) == h.warp);
    const ImU32 colour = paint.colour(tile.last);
    const float strength = (near ? 1.0f : 0.35f) * (lit ? 1.0f : 0.45f);
    if (paint.stale) {
      add_outline(list, box, faded(colour, strength), 1);
    } else {
      add_box(list, box, faded(colour, strength));
    }
    const double wanted = static_cast<double>(detail.rows_a_tile * detail.columns_a_tile);
    if (tile.elements < wanted * 0.5)
      add_hatch(list, box, faded(paint.style.colours.panel, 0.6f), paint.style.unit(0.5f));
    if (!paint.beside && tile.last.request == paint.output && paint.t.zoom != TraceZoom::request)
      add_outline(list, box, paint.style.colours.text, 1);
  }
  list->PopClipRect();
}

// What all blocks wrote: the traced one is bright and outlined.
void draw_runs(const Painter& paint, const Box& area, const MapView& view, const MapDetail& detail,
               const std::vector<WriterRun>& runs) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->PushClipRect({area.x0, area.y0}, {area.x1, area.y1}, true);
  for (const WriterRun& run : runs) {
    Box box = tile_box(view, detail, area, run.row, run.first_column);
    box.x1 = tile_box(view, detail, area, run.row, run.first_column + run.columns - 1).x1;
    if (box.height() > 4) box.y1 -= 1;
    if (box.width() > 4) box.x1 -= 1;
    const ImU32 colour = block_colour(paint.style, run.block, block_count(paint.trace.launch));
    const bool own = run.block == paint.trace.scope.block;
    if (paint.stale) {
      add_outline(list, box, colour, 1);
    } else {
      // Neighbours of nearly one colour differ in strength.
      add_box(list, box, faded(colour, own ? 1.0f : run.block % 2 == 0 ? 0.75f : 0.6f));
    }
    if (own) add_outline(list, box, paint.style.colours.text, 1);
  }
  list->PopClipRect();
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

// The last shown access of an element; null: none.
const ElementAccess* access_of(const Painter& paint, const std::vector<ElementAccess>& accesses,
                               std::int64_t element) {
  const ElementAccess* last = nullptr;
  auto at = std::partition_point(accesses.begin(), accesses.end(),
                                 [&](const ElementAccess& a) { return a.element < element; });
  for (; at != accesses.end() && at->element == element; ++at) {
    if (paint.shows(*at)) last = &*at;
  }
  return last;
}

void explain_element(const Trace& trace, const TracedBuffer& buffer, const ElementAccess* access,
                     std::int64_t element, bool reads, TraceSelection& t, bool clicked) {
  t.hovering.buffer = buffer.name;
  t.hovering.element = element;
  const std::string name = element_text(buffer, element, element);
  if (access == nullptr)
    return ImGui::SetTooltip("%s: not %s by this block", name.c_str(), reads ? "read" : "written");
  const WarpRequest& r = trace.requests[access->request];
  const AccessSite& site = trace.sites[r.site];
  t.hovering.lane = access->lane;
  t.hovering.warp = static_cast<int>(r.warp);
  t.hovering.line = site.position.line;
  t.hovering.file = site.position.file;
  std::string text = name + ": " + (reads ? "read" : "written") + " by warp " +
                     std::to_string(r.warp) + ", lane " + std::to_string(access->lane) +
                     "\nits instruction " + std::to_string(r.order) + ", line " +
                     std::to_string(site.position.line);
  if (!reads) {
    const std::vector<std::size_t> inputs = inputs_of(trace, access->request, access->lane);
    constexpr std::size_t kShown = 8;
    if (!inputs.empty()) text += "\nread for it:";
    for (std::size_t i = 0; i < std::min(kShown, inputs.size()); ++i) {
      const WarpRequest& input = trace.requests[inputs[i]];
      const std::uint64_t address = input.addresses[access->lane];
      text +=
          "\n  " +
          range_text(trace, address,
                     address + static_cast<std::uint64_t>(trace.sites[input.site].width_bytes - 1));
    }
    if (inputs.size() > kShown)
      text += "\n  and " + std::to_string(inputs.size() - kShown) + " more";
  }
  ImGui::SetTooltip("%s", text.c_str());
  if (clicked) {
    choose_request(t, trace, access->request);
    t.lane = access->lane;
  }
}

// An element of a block that is not the traced one; a click asks for that block's trace.
void explain_writer(const Trace& trace, const TracedBuffer& buffer, const WriterMap& writers,
                    std::int64_t element, Selection& selection, bool clicked) {
  TraceSelection& t = selection.trace;
  t.hovering.buffer = buffer.name;
  t.hovering.element = element;
  const std::int64_t block = writer_of(writers, element);
  const Dim3 index = block_at(trace.launch, block);
  const std::int64_t first = element / writers.elements * writers.elements;
  const std::int64_t last = std::min(first + writers.elements, element_count(buffer)) - 1;
  ImGui::SetTooltip("%s: written by block %lld, %lld, %lld\nclick to trace its requests",
                    element_text(buffer, first, last).c_str(), static_cast<long long>(index.x),
                    static_cast<long long>(index.y), static_cast<long long>(index.z));
  if (!clicked) return;
  t.block = block;
  selection.requests.push_back({Request::Kind::trace, selection.variant});
}

// What the chosen warp (or the hovered element's lane) read of another array, beside the map.
void draw_inputs(const Painter& paint, const Box& area, const TracedBuffer& buffer,
                 const std::vector<std::size_t>& requests, int only_lane) {
  const ArrayShape array = array_shape(buffer);
  const std::vector<ElementAccess> touched =
      element_accesses(paint.trace, buffer, requests, only_lane);
  const MapView view = fit_map(array, touched);
  const MapDetail detail = detail_of(paint.style, view, area);
  draw_ground(paint.style, area, view, buffer);
  Painter all = paint;
  all.until = ~0ULL;
  all.beside = true;
  draw_tiles(all, area, view, detail, tiles_in(all, view, detail, array, touched));
}

std::string caption_of(const Trace& trace, const TracedBuffer& buffer,
                       const ElementSummary& summary, bool reads) {
  const auto number = [](std::int64_t v) { return format_value(static_cast<double>(v), "1"); };
  const std::string text = "Block " + number(trace.scope.block) + (reads ? " reads " : " writes ") +
                           number(summary.elements) + " of the " + number(element_count(buffer)) +
                           " elements of " + array_name(buffer);
  if (summary.elements == 0) return text + ".";
  return text +
         (summary.most == 1 ? ", each once." : ", up to " + number(summary.most) + " times each.");
}

void draw_controls(const PanelContext& context, const Trace& trace, Selection& selection,
                   WarpMapPanel& state) {
  const Style& style = context.style;
  TraceSelection& t = selection.trace;
  ImGui::SetNextItemWidth(style.unit(15));
  const TracedBuffer* buffer = find_buffer(trace, t.buffer);
  if (ImGui::BeginCombo("##array", buffer == nullptr ? "–" : buffer->symbol.c_str())) {
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

}  // namespace

void draw_warp_map_panel(const PanelContext& context, Selection& selection, WarpMapPanel& state) {
  const Style& style = context.style;
  const Diagram diagram = begin_diagram(context, selection, "warp_map");
  if (diagram.trace == nullptr) return;
  const Trace& trace = *diagram.trace;
  TraceSelection& t = selection.trace;
  draw_controls(context, trace, selection, state);
  const TracedBuffer* buffer = find_buffer(trace, t.buffer);
  if (buffer == nullptr || element_count(*buffer) == 0)
    return draw_note(style, "The kernel was given no array to draw.");
  const ArrayShape array = array_shape(*buffer);
  const std::string of = trace.variant + "/" + trace.key + "/" + trace.step + "/" +
                         std::to_string(trace.job) + "/" + std::to_string(trace.scope.block) + "/" +
                         t.buffer + (t.reads ? "/reads/" : "/writes/") +
                         std::to_string(trace.requests.size());
  if (of != state.of) {
    state.of = of;
    state.accesses = element_accesses(trace, *buffer, !t.reads);
    state.summary = summary(trace, state.accesses);
    state.tiles_detail = {0, 0};
    state.shown.clear();
  }
  // The request on this array that stands for the chosen one.
  const std::size_t focus = request_on(trace, *buffer, !t.reads, t.request).value_or(t.request);
  // Each level of the zoom has its own view, and so has each warp and request.
  std::string shown = of + "/" + to_text(t.zoom);
  if (t.zoom == TraceZoom::warp) shown += "/" + std::to_string(t.warp);
  if (t.zoom == TraceZoom::request) shown += "/" + std::to_string(focus);
  bool refit = shown != state.shown;
  const float line = ImGui::GetTextLineHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const float captions = line * 4.6f;
  const float left = ImGui::CalcTextSize("100 000 ").x;
  Painter paint{style,
                trace,
                t,
                state.colour_by,
                std::max<std::uint64_t>(1, state.summary.last_order),
                ~0ULL,
                diagram.stale,
                focus};
  const WarpRequest* chosen = chosen_request(t, trace);
  if ((t.so_far || t.playing) && chosen != nullptr) paint.until = chosen->order;
  // What was read for what is written: of the hovered element's lane, else of the chosen request.
  std::size_t output = focus;
  const bool here = t.hovered.buffer == t.buffer;
  const int lane = here ? t.hovered.lane : t.lane;
  if (here && t.hovered.element >= 0) {
    if (const ElementAccess* access = access_of(paint, state.accesses, t.hovered.element))
      output = access->request;
  }
  std::vector<std::size_t> inputs;
  const TracedBuffer* beside = nullptr;
  if (!t.reads && output < trace.requests.size() &&
      writes(trace.sites[trace.requests[output].site].kind)) {
    // Of the lane in question; of all lanes, those of the first active one stand for the requests.
    const int of_lane = lane >= 0 && (trace.requests[output].active >> lane & 1U) != 0
                            ? lane
                            : std::countr_zero(trace.requests[output].active | 0x80000000U);
    inputs = inputs_of(trace, output, of_lane);
    std::int64_t widest = 0;
    for (const std::size_t input : inputs) {
      const TracedBuffer* read = find_buffer(trace, trace.sites[trace.requests[input].site].buffer);
      const std::int64_t width = trace.sites[trace.requests[input].site].width_bytes;
      if (read != nullptr && read != buffer && width > widest) beside = read, widest = width;
    }
  }
  const float height = std::max(room.y - captions - line, style.unit(6));
  const float share = t.reads ? 1.0f : 0.62f;  // the map keeps its place, inputs or none
  Box area{at.x + left, at.y + line + 2, at.x + room.x * share - style.unit(0.5f),
           at.y + line + 2 + height};
  if (refit) state.view = view_for(t, trace, focus, array, state.accesses);
  ImGui::SetCursorScreenPos({area.x0, area.y0});
  ImGui::InvisibleButton("map", {std::max(area.width(), 8.0f), height},
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
  const bool hovered = ImGui::IsItemHovered();
  refit = false;
  take_input(area, array, state.view, hovered, &refit);
  if (hovered && !ImGui::GetIO().WantTextInput && !ImGui::GetIO().KeyCtrl && letter_pressed('Z'))
    state.view = view_of_selection(t, state.view, focus, array, state.accesses);
  state.shown = refit ? "" : shown;
  draw_ground(style, area, state.view, *buffer);
  const MapDetail detail = detail_of(style, state.view, area);
  // Of all blocks where the grid was run; else the traced block alone has its colour.
  const WriterMap* writers =
      state.colour_by == kByBlock && !t.reads ? find_writers(trace, *buffer) : nullptr;
  if (!(state.tiles_view == state.view && state.tiles_detail == detail &&
        state.tiles_until == paint.until && state.runs.empty() == (writers == nullptr))) {
    state.tiles = tiles_in(paint, state.view, detail, array, state.accesses);
    state.runs = writers == nullptr ? std::vector<WriterRun>{}
                                    : writer_runs(*writers, array, state.view, detail);
    state.tiles_view = state.view;
    state.tiles_detail = detail;
    state.tiles_until = paint.until;
  }
  if (writers != nullptr) {
    draw_runs(paint, area, state.view, detail, state.runs);
  } else {
    draw_tiles(paint, area, state.view, detail, state.tiles);
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (t.hovered.buffer == t.buffer && t.hovered.element >= 0) {
    const Box box = tile_box(state.view, {1, 1}, area, t.hovered.element / array.columns,
                             t.hovered.element % array.columns);
    list->PushClipRect({area.x0, area.y0}, {area.x1, area.y1}, true);
    add_outline(list, {box.x0 - 1, box.y0 - 1, box.x1 + 1, box.y1 + 1}, style.colours.text,
                style.unit(0.25f));
    list->PopClipRect();
  }
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (const auto element = element_at(state.view, array, area, mouse.x, mouse.y);
      hovered && element && *element < element_count(*buffer)) {
    const std::int64_t writer = writers == nullptr ? -1 : writer_of(*writers, *element);
    if (writer >= 0 && writer != trace.scope.block) {
      explain_writer(trace, *buffer, *writers, *element, selection,
                     ImGui::IsMouseClicked(ImGuiMouseButton_Left));
    } else
      explain_element(trace, *buffer, access_of(paint, state.accesses, *element), *element, t.reads,
                      t, ImGui::IsMouseClicked(ImGuiMouseButton_Left));
  }
  if (!t.reads) {
    const Box second{area.x1 + left + style.unit(1), area.y0, at.x + room.x - style.unit(0.5f),
                     area.y1};
    if (beside != nullptr && second.width() > style.unit(4)) {
      draw_inputs(paint, second, *beside, inputs, lane);
    } else {
      add_outline(list, second, style.colours.border, 1);
    }
  }
  ImGui::SetCursorScreenPos({at.x, area.y1 + style.unit(0.5f)});
  std::string caption = caption_of(trace, *buffer, state.summary, t.reads);
  if (!t.reads && beside == nullptr)
    caption += " Nothing was read of another array for the chosen write.";
  if (beside != nullptr)
    caption += " Right: what was read of " + array_name(*beside) + " for " +
               (lane >= 0 ? "lane " + std::to_string(lane) + "'s"
                          : "warp " + std::to_string(trace.requests[output].warp) + "'s") +
               " write.";
  ImGui::TextWrapped("%s", caption.c_str());
  if (state.colour_by == kByBlock) {
    const std::int64_t blocks = block_count(trace.launch);
    if (writers == nullptr) {
      ImGui::TextDisabled(t.reads ? "the traced block alone: who reads is kept of it"
                                  : "the traced block alone: trace the grid for the others");
    } else if (blocks > kBlockColours) {
      draw_block_legend(style, blocks);
    } else {
      ImGui::TextDisabled("all blocks");
      for (std::int64_t block = 0; block < blocks; ++block) {
        ImGui::SameLine(0, style.unit(1));
        ImGui::PushStyleColor(ImGuiCol_Text, block_colour(style, block, blocks));
        ImGui::Text("■ %d", static_cast<int>(block));
        ImGui::PopStyleColor();
      }
    }
  } else if (state.colour_by == kByTime) {
    draw_heat_legend(style, "instruction 0", std::to_string(paint.last_order));
  } else if (state.colour_by == kByWarp) {
    ImGui::TextDisabled("warp");
    for (int warp = 0; warp < std::min(8, warps_of(trace.launch)); ++warp) {
      ImGui::SameLine(0, style.unit(1));
      ImGui::PushStyleColor(ImGuiCol_Text, variant_colour(style, warp));
      ImGui::Text("■ %d", warp);
      ImGui::PopStyleColor();
    }
  } else {
    draw_lane_legend(style);
  }
}

}  // namespace warpscope
