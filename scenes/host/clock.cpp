// scenes/host/clock.cpp: the date and time of day.
#include "scenes/host/clock.h"

#include <ctime>

namespace warpscope {

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace warpscope
