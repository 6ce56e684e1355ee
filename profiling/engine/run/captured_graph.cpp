// profiling/engine/run/captured_graph.cpp: the run steps of a variant as one CUDA graph.
// source: CUDA C++ Programming Guide, "Cross-stream Dependencies and Events" of stream capture.
#include "profiling/engine/run/captured_graph.h"

#include <algorithm>
#include <utility>
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
        return failure(ErrorKind::usage, "it did something that a capture does not allow",
                       "graph capture", "submit it on a stream");
      })
      .and_then(
          [&] { return device.check(d.cuGraphGetNodes(graph, nullptr, &count), "graph capture"); })
      .map([&] { return count; });
}

// The second branch of a capture: a stream that enters it with the first step aside. It stays in it
// until the first branch has waited for it.
class Aside {
 public:
  explicit Aside(const Device& device) : device_(device) {}
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
  ~Aside() {
    const CudaDriver& d = device_.driver();
    if (event_ != nullptr) d.cuEventDestroy(event_);
    if (stream_ != nullptr) d.cuStreamDestroy(stream_);
  }
  // Before a capture begins: none may make streams. error: environment.
  Result<void> make() {
    const CudaDriver& d = device_.driver();
    return device_.check(d.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "graph capture")
        .and_then([&] {
          return device_.check(d.cuEventCreate(&event_, CU_EVENT_DISABLE_TIMING), "graph capture");
        });
  }
  // The stream for the step, after what it waits for. error: environment.
  Result<CUstream> before(const Step& step) {
    const CUstream first = device_.stream();
    if (step.aside) {
      open_ = true;
      return waits(stream_, first).map([&] { return stream_; });
    }
    if (!step.joins) return first;
    return join().map([&] { return first; });
  }
  // error: environment.
  Result<void> join() {
    if (!std::exchange(open_, false)) return {};
    return waits(device_.stream(), stream_);
  }

 private:
  Result<void> waits(CUstream who, CUstream for_whom) {
    const CudaDriver& d = device_.driver();
    return device_.check(d.cuEventRecord(event_, for_whom), "graph capture").and_then([&] {
      return device_.check(d.cuStreamWaitEvent(who, event_, 0), "graph capture");
    });
  }
  const Device& device_;
  CUstream stream_ = nullptr;
  CUevent event_ = nullptr;
  bool open_ = false;  // steps aside that the first branch has not waited for
};

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
  Aside aside(device);
  captured->branches_ = std::any_of(steps.begin(), steps.end(),
                                    [](const BoundStep& step) { return step.step().aside; });
  if (captured->branches_) {
    if (Result<void> made = aside.make(); !made) return tl::unexpected(made.error());
  }
  Result<void> made =
      device.check(d.cuStreamBeginCapture(device.stream(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                   "graph capture");
  if (!made) return tl::unexpected(made.error());
  std::size_t before = 0;
  for (const BoundStep& step : steps) {
    made = aside.before(step.step())
               .and_then([&](CUstream stream) { return step.run(stream); })
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
  if (made) made = aside.join();
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
