// scenes/led/window_steps.cpp: what the kernels run that group LEDs and share a window of pixels.
#include <algorithm>
#include <utility>

#include "scenes/led/grouping.h"
#include "scenes/led/shapes.h"
#include "scenes/led/steps.h"

namespace warpscope::led {
namespace {

constexpr std::int64_t kSortThreads = 128;
constexpr std::int64_t kBarrierBytes = 16;  // two mbarriers a stage

// A row of a box of window_boxes.cu is 128 bytes of f32, 64 of u8.
std::int64_t box_columns(const Workload& w) { return integers(w.axes) ? 64 : 32; }

Step sort_step(std::string name, std::string entry, std::int64_t threads, std::int64_t channels,
               std::vector<Argument> arguments) {
  return {
      std::move(name), Phase::prepare,
      KernelLaunch{"led/groups.cu",
                   std::move(entry),
                   {},
                   {{ceil_divide(threads, kSortThreads), channels, 1}, {kSortThreads, 1, 1}, 0, {}},
                   std::move(arguments)}};
}

// Sorts the LEDs of each channel into groups of `size`.
Steps group_steps(const Workload& w, std::int64_t size) {
  const Shape s = shape_of(w.axes);
  const std::int64_t groups = ceil_divide(s.leds, size);
  const BufferArgument positions{"positions"}, rank{"rank"}, order{"order"};
  return {sort_step("rank by row", "rank_by_row", s.leds, s.channels,
                    {positions, rank, as_int(s.leds)}),
          sort_step("order in bands", "order_in_bands", s.leds, s.channels,
                    {positions, rank, order, as_int(s.leds), as_int(band_leds(w.axes, size))}),
          sort_step("windows", "windows_of_groups", groups, s.channels,
                    {positions, order, BufferArgument{"windows"}, as_int(s.leds), as_int(groups),
                     as_int(size), as_int(s.block), as_int(window_alignment(w.axes))})};
}

BufferSpec ints(std::string name, std::vector<std::int64_t> shape, std::string symbol) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return {std::move(name),     ElementType::i32, count,
          BufferRole::scratch, std::move(shape), std::move(symbol)};
}

Buffers scratch_of_groups(const Workload& w, std::int64_t size) {
  const Shape s = shape_of(w.axes);
  const std::int64_t groups = ceil_divide(s.leds, size);
  return {ints("rank", {s.channels, s.leds}, "rank[C, N]"),
          ints("order", {s.channels, s.leds}, "order[C, N]"),
          ints("windows", {s.channels, groups, 4}, "windows[C, groups, 4]")};
}

}  // namespace

std::int64_t resident_frames(const Workload& w) {
  constexpr std::int64_t kSharedBytes = kDesignDevice.shared_bytes_per_block;
  const std::int64_t bytes =
      static_cast<std::int64_t>(w.fact("window_area")) * shape_of(w.axes).value_bytes;
  std::int64_t frames = frames_of_tile(w);
  while (frames > 1 && frames * bytes > kSharedBytes) frames = (frames + 1) / 2;
  return frames;
}

std::int64_t leds_per_block_bytes(const Workload& w) {
  return resident_frames(w) * static_cast<std::int64_t>(w.fact("window_area")) *
         shape_of(w.axes).value_bytes;
}

Steps leds_per_block_steps(const Workload& w) {
  const Shape s = shape_of(w.axes);
  const std::int64_t size = w.integer("leds_per_block");
  Steps steps = group_steps(w, size);
  KernelLaunch kernel = kernel_of(w, "leds_per_block",
                                  {{ceil_divide(s.leds, size), s.channels, 1},
                                   {size * kWarpLanes, 1, 1},
                                   leds_per_block_bytes(w),
                                   {}},
                                  {BufferArgument{"order"}, BufferArgument{"windows"}});
  kernel.defines.push_back(define("GROUP", size));
  kernel.defines.push_back(define("FRAME_TILE", resident_frames(w)));
  kernel.defines.push_back(
      define("COPY_BYTES", window_alignment(w.axes) * shape_of(w.axes).value_bytes));
  steps.push_back(run_kernel("multiply", std::move(kernel)));
  return steps;
}

Buffers groups_scratch(const Workload& w) {
  return scratch_of_groups(w, w.integer("leds_per_block"));
}

WindowStrips window_strips_form(const Workload& w) {
  const Shape s = shape_of(w.axes);
  WindowStrips form;
  form.frame_tile = frames_of_tile(w);
  form.strip_rows = w.integer("strip_rows");
  form.stages = w.integer("stages");
  form.copy_bytes = window_alignment(w.axes) * s.value_bytes;
  // Two blocks of a multiprocessor share its 228 KB; pitches in steps of 32 columns make few
  // different programs.
  constexpr std::int64_t kMostBytes = std::int64_t{112} * 1024, kStep = 32, kMostPadding = 128;
  const std::int64_t lines = form.stages * form.strip_rows * form.frame_tile;
  const std::int64_t room =
      kMostBytes - (integers(w.axes) ? form.stages * form.strip_rows * kMostPadding : 0);
  const std::int64_t most = room / (lines * s.value_bytes) / kStep * kStep;
  const auto widest = static_cast<std::int64_t>(w.fact("window_columns"));
  form.pitch = std::clamp(ceil_divide(widest, kStep) * kStep, kStep, std::max(kStep, most));
  // As kRowStride in the kernel: a row of bytes ends with at most 128 bytes of padding.
  const std::int64_t quads = s.block / kQuad,
                     words = form.frame_tile * form.pitch * s.value_bytes / 4;
  const std::int64_t padding = integers(w.axes) ? ((quads + 32 - words % 32) % 32 + 3) / 4 * 4 : 0;
  form.shared_bytes = form.stages * form.strip_rows * 4 * (words + padding);
  return form;
}

Steps window_strips_steps(const Workload& w) {
  const Shape s = shape_of(w.axes);
  const std::int64_t size = w.integer("leds_per_block");
  const WindowStrips form = window_strips_form(w);
  Steps steps = group_steps(w, size);
  KernelLaunch kernel = kernel_of(w, "window_strips",
                                  {{ceil_divide(s.leds, size), s.channels, 1},
                                   {size * kWarpLanes, 1, 1},
                                   form.shared_bytes,
                                   {}},
                                  {BufferArgument{"order"}, BufferArgument{"windows"}});
  for (auto& [name, value] : std::vector<std::pair<std::string, std::int64_t>>{
           {"GROUP", size},
           {"FRAME_TILE", form.frame_tile},
           {"STRIP", form.strip_rows},
           {"STAGES", form.stages},
           {"PITCH", form.pitch},
           {"COPY_BYTES", form.copy_bytes},
           {"BLOCKS", std::max<std::int64_t>(1, 32 / size)}})
    kernel.defines.push_back(define(name, value));
  steps.push_back(run_kernel("multiply", std::move(kernel)));
  return steps;
}

WindowBoxes window_boxes_form(const Workload& w) {
  constexpr std::int64_t kMostStages = 8, kFewestStages = 4;
  const Shape s = shape_of(w.axes);
  WindowBoxes form;
  form.group = box_group(w.axes);
  form.frame_tile = frames_of_tile(w);
  form.strip_rows = integers(w.axes) ? 16 : 4;
  form.box_columns = box_columns(w);
  const std::int64_t box_bytes = form.frame_tile * form.strip_rows * box_columns(w) * s.value_bytes;
  const std::int64_t room = kDesignDevice.shared_bytes_per_block - kMostStages * kBarrierBytes;
  form.boxes = std::clamp<std::int64_t>(
      ceil_divide(static_cast<std::int64_t>(w.fact("box_columns")), box_columns(w)), 1,
      std::max<std::int64_t>(1, room / kFewestStages / box_bytes));
  form.stages = std::clamp(room / (form.boxes * box_bytes), std::int64_t{2}, kMostStages);
  form.shared_bytes = form.stages * (form.boxes * box_bytes + kBarrierBytes);
  const std::int64_t items =
      ceil_divide(s.leds, form.group) * s.channels * ceil_divide(s.frames, form.frame_tile);
  form.blocks = std::min<std::int64_t>(kDesignDevice.multiprocessors, items);
  return form;
}

Steps window_boxes_steps(const Workload& w) {
  const Shape s = shape_of(w.axes);
  const WindowBoxes form = window_boxes_form(w);
  Steps steps = group_steps(w, form.group);
  KernelLaunch kernel =
      kernel_of(w, "window_boxes",
                {{form.blocks, 1, 1}, {(form.group + 1) * kWarpLanes, 1, 1}, form.shared_bytes, {}},
                {BufferArgument{"order"}, BufferArgument{"windows"}});
  // The frames as a tensor of frames, rows of all channels, and columns.
  const std::int64_t row_bytes = s.width * s.value_bytes;
  kernel.arguments[2] = TensorMapArgument{"frames",
                                          integers(w.axes) ? ElementType::u8 : ElementType::f32,
                                          {s.width, s.channels * s.height, s.frames},
                                          {row_bytes, row_bytes * s.channels * s.height},
                                          {box_columns(w), form.strip_rows, form.frame_tile}};
  kernel.arguments.emplace_back(as_int(ceil_divide(s.leds, form.group)));
  for (auto& [name, value] :
       std::vector<std::pair<std::string, std::int64_t>>{{"GROUP", form.group},
                                                         {"FRAME_TILE", form.frame_tile},
                                                         {"STRIP", form.strip_rows},
                                                         {"STAGES", form.stages},
                                                         {"BOXES", form.boxes}})
    kernel.defines.push_back(define(name, value));
  steps.push_back(run_kernel("multiply", std::move(kernel)));
  return steps;
}

Buffers window_boxes_scratch(const Workload& w) { return scratch_of_groups(w, box_group(w.axes)); }

bool pattern_rows_fill_16_bytes(const Workload& w) {
  const Shape s = shape_of(w.axes);
  return s.block * s.value_bytes % 16 == 0;
}

WindowTensorCore window_tensor_core_form(const Workload& w) {
  constexpr std::int64_t kMostBoxes = 32;           // one a lane of the producer
  constexpr std::int64_t kBanks = 128, kWord = 4;   // bytes
  constexpr std::int64_t kTile = 16 * kCoreFrames;  // results of a matrix instruction
  const Shape s = shape_of(w.axes);
  const CoreTuning tuning = core_tuning(w.axes);
  const std::int64_t box_bytes = tuning.strip_rows * kCoreFrames * kCoreBoxRow;
  const std::int64_t slot_bytes = tuning.strip_rows * s.block * s.value_bytes + kBanks;
  const std::int64_t patterns = ceil_divide(tuning.group * slot_bytes, kBanks) * kBanks;
  const std::int64_t results = kWord * tuning.warps * ceil_divide(tuning.group, 16) * kTile;
  const std::int64_t room =
      kDesignDevice.shared_bytes_per_block - results - tuning.most_stages * kBarrierBytes;
  const auto boxes_of = [&](std::int64_t stages) { return (room / stages - patterns) / box_bytes; };
  WindowTensorCore form;
  const std::int64_t most = boxes_of(2) >= 1 ? boxes_of(2) : boxes_of(1);
  form.boxes = std::clamp<std::int64_t>(
      ceil_divide(static_cast<std::int64_t>(w.fact("core_columns")) * s.value_bytes, kCoreBoxRow),
      1, std::clamp<std::int64_t>(most, 1, kMostBoxes));
  const std::int64_t stage_bytes = form.boxes * box_bytes + patterns;
  form.stages = std::clamp<std::int64_t>(room / stage_bytes, 1, tuning.most_stages);
  form.shared_bytes = form.stages * (stage_bytes + kBarrierBytes) + results;
  form.items = ceil_divide(s.leds, tuning.group) * s.channels;
  form.blocks = std::min<std::int64_t>(kDesignDevice.multiprocessors,
                                       form.items * ceil_divide(s.frames, kCoreFrames));
  return form;
}

Steps window_tensor_core_steps(const Workload& w, std::int64_t terms) {
  const Shape s = shape_of(w.axes);
  const CoreTuning tuning = core_tuning(w.axes);
  const WindowTensorCore form = window_tensor_core_form(w);
  const std::int64_t row_bytes = s.width * s.value_bytes;
  Steps steps = group_steps(w, tuning.group);
  steps.push_back(
      sort_step("items by work", "items_by_work", form.items, 1,
                {BufferArgument{"positions"}, BufferArgument{"order"}, BufferArgument{"windows"},
                 BufferArgument{"item_windows"}, BufferArgument{"item_leds"}, as_int(s.leds),
                 as_int(form.items / s.channels), as_int(form.items), as_int(tuning.group),
                 as_int(s.block), as_int(s.height)}));
  // Rows of all channels outermost, so that a box has a row of all frames side by side.
  TensorMapArgument map{"frames",
                        integers(w.axes) ? ElementType::u8 : ElementType::f32,
                        {s.width, s.frames, s.channels * s.height},
                        {row_bytes * s.channels * s.height, row_bytes},
                        {kCoreBoxRow / s.value_bytes, kCoreFrames, tuning.strip_rows}};
  KernelLaunch kernel = kernel_of(
      w, "window_tensor_core",
      {{form.blocks, 1, 1}, {(tuning.warps + 1) * kWarpLanes, 1, 1}, form.shared_bytes, {}},
      {std::move(map), BufferArgument{"item_windows"}, BufferArgument{"item_leds"}});
  kernel.arguments.emplace_back(as_int(form.items));
  for (auto& [name, value] :
       std::vector<std::pair<std::string, std::int64_t>>{{"GROUP", tuning.group},
                                                         {"STRIP", tuning.strip_rows},
                                                         {"WARPS", tuning.warps},
                                                         {"BOXES", form.boxes},
                                                         {"STAGES", form.stages},
                                                         {"TERMS", terms}})
    kernel.defines.push_back(define(name, value));
  steps.push_back(run_kernel("multiply", std::move(kernel)));
  return steps;
}

Buffers window_tensor_core_scratch(const Workload& w) {
  const std::int64_t size = core_tuning(w.axes).group;
  const std::int64_t items = window_tensor_core_form(w).items;
  Buffers buffers = scratch_of_groups(w, size);
  buffers.push_back(ints("item_windows", {items, 4}, "item_windows[items, 4]"));
  buffers.push_back(ints("item_leds", {items, size, 4}, "item_leds[items, LEDs, 4]"));
  return buffers;
}

}  // namespace warpscope::led
