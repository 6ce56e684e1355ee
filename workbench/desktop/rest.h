// workbench/desktop/rest.h: when the window is left alone.
#pragma once

#include <chrono>
#include <optional>

//   Rest rest;
//   if (rest.begins(touched || works, Clock::now())) release_what_is_not_looked_at();

namespace warpscope {

class Rest {
 public:
  using Clock = std::chrono::steady_clock;
  // So long nobody has touched anything, and nothing is on its way. Longer than a person pauses
  // between two moves, so that what was shown a moment ago is still there.
  static constexpr std::chrono::seconds kAfter{5};

  // Asked in every turn of the window's loop; `stirs`: a person did something since the last turn,
  // or something is on its way. True once per rest.
  bool begins(bool stirs, Clock::time_point now) {
    if (stirs || !since_) {
      since_ = now;
      begun_ = false;
    }
    const bool due = !begun_ && now - *since_ >= kAfter;
    begun_ = begun_ || due;
    return due;
  }

 private:
  std::optional<Clock::time_point> since_;
  bool begun_ = false;
};

}  // namespace warpscope
