// profiling/engine/run/captured_graph.h: the run steps of a variant as one CUDA graph.
#pragma once

#include <cuda.h>

#include <memory>
#include <vector>

#include "profiling/engine/run/plan.h"

namespace warpscope {

class CapturedGraph {
 public:
  // Captures the steps from the device's stream, in their order and those aside from a second one,
  // and instantiates the graph. error:
  // usage (a step on the host), or what a step or the driver says, naming the step.
  static Result<std::unique_ptr<CapturedGraph>> capture(const Device& device,
                                                        const std::vector<BoundStep>& steps);
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;
  ~CapturedGraph();

  // Queues one replay. error: as BoundStep::run.
  Result<void> launch(CUstream stream) const;
  // How many nodes each step became.
  const std::vector<int>& nodes() const { return nodes_; }
  bool has_branches() const { return branches_; }

 private:
  explicit CapturedGraph(const Device& device) : device_(device) {}
  const Device& device_;
  CUgraph graph_ = nullptr;
  CUgraphExec executable_ = nullptr;
  std::vector<int> nodes_;
  bool branches_ = false;
};

}  // namespace warpscope
