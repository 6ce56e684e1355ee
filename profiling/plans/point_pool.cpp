// profiling/plans/point_pool.cpp: points of a plan that wait for a device, dealt by expected time.
#include "profiling/plans/point_pool.h"

#include <algorithm>
#include <utility>

namespace warpscope {

PointPool::PointPool(std::vector<double> weights) : weights_(std::move(weights)) {
  for (std::size_t at = 0; at < weights_.size(); ++at) {
    waiting_.push_back(at);
    waiting_weight_ += weights_[at];
  }
}

std::vector<std::size_t> PointPool::take(std::size_t devices, std::size_t most) {
  constexpr double kPartOfShare = 3;
  const double row =
      waiting_weight_ / (kPartOfShare * static_cast<double>(std::max<std::size_t>(devices, 1)));
  std::vector<std::size_t> taken;
  double weight = 0;
  while (!waiting_.empty() && taken.size() < most) {
    const std::size_t next = waiting_.front();
    if (!taken.empty() && weight + weights_[next] > row) break;
    weight += weights_[next];
    taken.push_back(next);
    waiting_.pop_front();
  }
  waiting_weight_ = waiting_.empty() ? 0 : waiting_weight_ - weight;
  return taken;
}

void PointPool::give_back(std::size_t point) {
  waiting_.push_front(point);
  waiting_weight_ += weights_[point];
}

}  // namespace warpscope
