// tests/workbench/workspace/requests_test.cpp: the workspace takes every kind of request.
#include "workbench/workspace/selection/requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/workbench/workspace/sample_session.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <std::size_t... Index>
std::vector<Request> one_of_each(std::index_sequence<Index...>) {
  return {Request(std::in_place_index<Index>)...};
}

std::unique_ptr<Workspace> without_gpu() {
  return sample::recorded({sample::roofs(), sample::correct(sample::focus, 120e3)});
}

// What measures needs a device, which a recorded session has not; nothing else does.
TEST(Requests, InARecordedSessionOnlyThoseThatMeasureAreRefused) {
  std::set<std::size_t> refused;
  for (const Request& request :
       one_of_each(std::make_index_sequence<std::variant_size_v<Request>>())) {
    auto workspace = without_gpu();
    workspace->update();
    workspace->log.clear_notices();
    workspace->requests.ask(request);
    workspace->update();
    EXPECT_TRUE(workspace->requests.empty());
    for (const std::string& notice : workspace->view().log.notices()) {
      if (notice.find("this is a recorded session") != std::string::npos)
        refused.insert(request.index());
    }
  }
  const std::set<std::size_t> measuring = {
      Request(request::Measure{}).index(), Request(request::Quote{}).index(),
      Request(request::Sweep{}).index(),   Request(request::Timeline{}).index(),
      Request(request::Roofs{}).index(),   Request(request::Saved{}).index(),
      Request(request::Warps{}).index()};
  EXPECT_EQ(refused, measuring);
}

TEST(Requests, AreTakenInTheOrderInWhichTheyWereAsked) {
  auto workspace = without_gpu();
  workspace->update();
  workspace->log.clear_notices();
  workspace->requests.ask(request::TrainOn{});
  workspace->requests.ask(request::Measure{});
  workspace->requests.ask(request::Edit{"kernel.cu", "text"});
  workspace->update();
  EXPECT_THAT(workspace->view().log.notices(),
              ElementsAre(HasSubstr("there is no training to continue"),
                          HasSubstr("this is a recorded session"),
                          HasSubstr("does not belong to a folder")));
}

}  // namespace
}  // namespace warpscope
