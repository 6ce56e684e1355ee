// tests/profiling/session/user_job_test.cpp: launches of a person's program and what they left come
// back from a line as they were.
#include <gtest/gtest.h>

#include "profiling/messages/protocol.h"

namespace warpscope {
namespace {

TEST(UserJob, LaunchesBuffersAndOutputsComeBackFromALine) {
  Job job;
  job.job = 7;
  job.work = TraceJob{};
  UserKernel user;
  user.path = "own/k.cu";
  user.buffers = {{"x", "f32[8]:iota"}, {"y", "f32[8]:unset"}};
  UserLaunch launch;
  launch.entry = "net::k<float, 4>";
  launch.launch = {{2, 3, 1}, {32, 1, 1}, 64};
  launch.arguments = {"&x", "&y+16", "struct:{&x,i32:8}", "?"};
  launch.variables = {"table=f32[4]:one"};
  launch.line = 12;
  launch.feeds = true;
  user.launches = {launch, UserLaunch{}};
  user.outputs = {{"y", "ref.npy", "y.npy", 1e-5, 0.25, 3, 4}};
  user.guessed = true;
  job.user = user;
  const Result<Message> read = parse_line(to_line(job));
  ASSERT_TRUE(read) << sentence(read.error());
  const UserKernel& back = *std::get<Job>(*read).user;
  EXPECT_EQ(back.buffers, user.buffers);
  ASSERT_EQ(back.launches.size(), 2u);
  EXPECT_EQ(back.launches[0].entry, launch.entry);
  EXPECT_EQ(back.launches[0].launch.grid, launch.launch.grid);
  EXPECT_EQ(back.launches[0].launch.dynamic_shared_bytes, 64);
  EXPECT_EQ(back.launches[0].arguments, launch.arguments);
  EXPECT_EQ(back.launches[0].variables, launch.variables);
  EXPECT_EQ(back.launches[0].line, 12);
  EXPECT_TRUE(back.launches[0].feeds);
  EXPECT_FALSE(back.launches[1].feeds);
  ASSERT_EQ(back.outputs.size(), 1u);
  EXPECT_EQ(back.outputs[0].expected_file, "ref.npy");
  EXPECT_EQ(back.outputs[0].out_file, "y.npy");
  EXPECT_EQ(back.outputs[0].relative, 1e-5);
  EXPECT_EQ(back.outputs[0].absolute, 0.25);
  EXPECT_EQ(back.outputs[0].first, 3);
  EXPECT_EQ(back.outputs[0].count, 4);
  EXPECT_TRUE(back.guessed);
}

TEST(UserJob, WhatBuffersHeldComesBackWithTheTrace) {
  Trace trace;
  trace.entry = "k";
  trace.outputs = {{"y", "y[0:2] = 1 2", "all 2 elements of y are as expected", false},
                   {"z", "", "1 of 2 elements of z differ", true}};
  const Result<Message> read = parse_line(to_line(trace));
  ASSERT_TRUE(read) << sentence(read.error());
  EXPECT_EQ(std::get<Trace>(*read).outputs, trace.outputs);
}

}  // namespace
}  // namespace warpscope
