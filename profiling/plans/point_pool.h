// profiling/plans/point_pool.h: points of a plan that wait for a device, dealt by expected time.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

// Neighbours share inputs, so a device gets a row of them; rows become shorter towards the end, so
// that all devices end together.
//
//   PointPool pool(weights);
//   for (std::size_t point : pool.take(devices)) submit(point);
//   pool.give_back(point);                                      // its engine died

namespace warpscope {

class PointPool {
 public:
  // Weights are expected seconds, or any other measure of work.
  explicit PointPool(std::vector<double> weights);

  bool empty() const { return waiting_.empty(); }
  std::size_t size() const { return waiting_.size(); }
  // The next points for one of so many devices: a third of its share of the work that is left, at
  // least one and at most `most`. Empty: none wait.
  std::vector<std::size_t> take(std::size_t devices, std::size_t most = 32);
  // Is dealt next.
  void give_back(std::size_t point);
  double weight_of(std::size_t point) const { return weights_[point]; }
  double waiting_weight() const { return waiting_weight_; }

 private:
  std::vector<double> weights_;
  std::deque<std::size_t> waiting_;
  double waiting_weight_ = 0;
};

}  // namespace warpscope
