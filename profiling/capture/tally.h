// profiling/capture/tally.h: how often and for how long each kernel of a program ran.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "scenes/base/step.h"

namespace warpscope {

// Grid, block and dynamic shared memory.
bool same_shape(const Launch& a, const Launch& b);

// What launches of one kernel with one shape, in one NVTX range, have in common.
struct TallyRow {
  std::string symbol, range;
  Launch launch;
  std::int64_t launches = 0, timed = 0;
  double time_ms = 0;               // of the timed ones
  double longest_ms = 0;            // of one of them
  std::int64_t longest_number = 0;  // which launch of this kernel that was, from 1
};

// One timed launch of a row.
struct LaunchSpan {
  std::size_t row = 0;  // of those that are reported with it
  double start_ms = 0;  // on the host's steady clock
  double ms = 0;
  std::int64_t stream = 0;  // a number that is its own in the process
};

class Tally {
 public:
  // The row of a launch, counted once more, and which launch of its kernel it is.
  struct Place {
    std::size_t row = 0;
    std::int64_t number = 0;
  };
  Place count(const char* symbol, const Launch& launch, const std::string& range);
  // `start_ms` 0: it is not known when the launch began.
  void timed(const Place& place, double ms, double start_ms = 0, std::int64_t stream = 0);
  // Rows that changed since the last call, and the launches that were timed since.
  struct Changes {
    std::vector<TallyRow> rows;
    std::vector<LaunchSpan> spans;
  };
  Changes changes();
  std::int64_t launches() const { return launches_; }

 private:
  using Key = std::tuple<std::string, std::string, std::int64_t, std::int64_t, std::int64_t,
                         std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
  struct Kernel {
    std::int64_t launches = 0;
    std::size_t row = 0;  // of the last one
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  // A program may launch 100 000 kernels per second, with names of hundreds of characters.
  std::unordered_map<std::string, Kernel, Hash, std::equal_to<>> kernels_;
  std::map<Key, std::size_t> places_;
  std::vector<TallyRow> rows_;
  std::vector<bool> fresh_;
  std::vector<LaunchSpan> spans_;  // by place in rows_
  std::int64_t launches_ = 0;
};

}  // namespace warpscope
