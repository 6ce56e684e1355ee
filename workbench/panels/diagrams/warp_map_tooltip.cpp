// workbench/panels/diagrams/warp_map_tooltip.cpp: what the pointer is on in the warp map.
#include "workbench/panels/diagrams/warp_map_tooltip.h"

#include <imgui.h>

#include <algorithm>

namespace warpscope {
namespace {

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
                    std::int64_t element, const PanelContext& context, Selection& selection,
                    bool clicked) {
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
  context.requests.ask(request::Trace{selection.variant});
}

}  // namespace

void explain_pointed(const MapPainter& paint, const Box& area, const TracedBuffer& buffer,
                     const WriterMap* writers, const WarpMapPanel& state,
                     const PanelContext& context, Selection& selection) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto element = element_at(state.view, array_shape(buffer), area, mouse.x, mouse.y);
  if (!element || *element >= element_count(buffer)) return;
  const bool clicked = ImGui::IsMouseClicked(ImGuiMouseButton_Left);
  const std::int64_t writer = writers == nullptr ? -1 : writer_of(*writers, *element);
  if (writer >= 0 && writer != paint.trace.scope.block) {
    explain_writer(paint.trace, buffer, *writers, *element, context, selection, clicked);
  } else {
    explain_element(paint.trace, buffer, access_of(paint, state.accesses, *element), *element,
                    selection.trace.reads, selection.trace, clicked);
  }
}

}  // namespace warpscope
