// workbench/desktop/rest.h: when the window is left alone.
#pragma once

#include <chrono>
#include <optional>

//   Rest rest;
//   if (rest.begins(touched, works, Clock::now())) release_what_is_not_looked_at();

namespace warpscope {

class Rest {
 public:
  using Clock = std::chrono::steady_clock;
  // A rest begins after this long without input. That is longer than a person pauses between two
  // moves, so what was shown a moment ago is still there.
  static constexpr std::chrono::seconds kAfter{5};

  // Asked in every turn of the window's loop. `touched`: a person did something since the last
  // turn; `works`: an engine works. True once per rest, and once more so long after an engine ended
  // what it worked on meanwhile: an emulation of a whole grid takes minutes, and brings memory with
  // it.
  bool begins(bool touched, bool works, Clock::time_point now) {
    if (touched || !since_ || (worked_ && !works)) {
      since_ = now;
      begun_ = false;
    }
    worked_ = works;
    const bool due = !begun_ && now - *since_ >= kAfter;
    begun_ = begun_ || due;
    return due;
  }

 private:
  std::optional<Clock::time_point> since_;
  bool begun_ = false, worked_ = false;
};

}  // namespace warpscope
