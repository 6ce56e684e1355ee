// profiling/engine/run/captured_graph.cpp: the run steps of a variant as one CUDA graph.
#include "profiling/engine/run/captured_graph.h"

#include <variant>

namespace warpscope {
namespace {

// Nodes that the capture on this stream has so far.
Result<std::size_t> nodes_so_far(const Device& device) {
  const CudaDriver& d = device.driver();
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  CUgraph graph = nullptr;
  std::size_t count = 0;
  return device
      .check(d.cuStreamGetCaptureInfo(device.stream(), &status, nullptr, &graph, nullptr, nullptr,
                                      nullptr),
             "graph capture")
      .and_then([&]() -> Result<void> {
        if (status == CU_STREAM_CAPTURE_STATUS_ACTIVE) return {};
        return failure(ErrorKind::usage, "it did what no capture allows", "graph capture",
                       "submit it on a stream");
      })
      .and_then(
          [&] { return device.check(d.cuGraphGetNodes(graph, nullptr, &count), "graph capture"); })
      .map([&] { return count; });
}

}  // namespace

Result<std::unique_ptr<CapturedGraph>> CapturedGraph::capture(const Device& device,
                                                              const std::vector<BoundStep>& steps) {
  for (const BoundStep& step : steps) {
    if (std::holds_alternative<HostStep>(step.step().action)) {
      return failure(ErrorKind::usage, "a step on the host cannot be part of a graph",
                     "step " + step.step().name, "submit the variant on a stream");
    }
  }
  const CudaDriver& d = device.driver();
  std::unique_ptr<CapturedGraph> captured(new CapturedGraph(device));
  Result<void> made =
      device.check(d.cuStreamBeginCapture(device.stream(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                   "graph capture");
  if (!made) return tl::unexpected(made.error());
  std::size_t before = 0;
  for (const BoundStep& step : steps) {
    made = step.run(device.stream())
               .and_then([&] { return nodes_so_far(device); })
               .map([&](std::size_t now) {
                 captured->nodes_.push_back(static_cast<int>(now - before));
                 before = now;
               });
    if (!made) {
      Error error = made.error();
      error.what = "step " + step.step().name + " cannot be captured: " + error.what;
      made = tl::unexpected(error);
      break;
    }
  }
  // Also after an error: a stream that stays in capture would refuse all that follows.
  const Result<void> ended =
      device.check(d.cuStreamEndCapture(device.stream(), &captured->graph_), "graph capture");
  if (made) made = ended;
  if (made) {
    made = device.check(d.cuGraphInstantiate(&captured->executable_, captured->graph_, 0),
                        "graph instantiation");
  }
  if (!made) return tl::unexpected(made.error());
  return captured;
}

CapturedGraph::~CapturedGraph() {
  const CudaDriver& d = device_.driver();
  if (executable_ != nullptr) d.cuGraphExecDestroy(executable_);
  if (graph_ != nullptr) d.cuGraphDestroy(graph_);
}

Result<void> CapturedGraph::launch(CUstream stream) const {
  return device_.check(device_.driver().cuGraphLaunch(executable_, stream), "graph");
}

}  // namespace warpscope
