// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/exec/run_steps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <random>
#include <set>
#include <thread>

#include <oneapi/dnnl/dnnl.hpp>

#include "cpu/threading/parallel.hpp"
#include "fuseq/error.hpp"

namespace fuseq::cpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class NamedStep final : public Step {
public:
    explicit NamedStep(const std::string& name) {
        info_.name = name;
        info_.kind = "kind_of_" + name;
    }
    std::unique_ptr<Runner> bind(RequestMemory&) const override { return nullptr; }
};

// What was run, in the order in which it was begun.
struct Event {
    std::string step;
    RowPart part{};
    bool whole = false;
};

class Steps : public ::testing::Test {
protected:
    class NotedRunner final : public Runner {
    public:
        NotedRunner(Steps& steps, std::string name) : steps_(steps), name_(std::move(name)) {}
        void run() override { note({name_, {}, true}); }
        void run_rows(const RowPart& part) override { note({name_, part, false}); }

    private:
        void note(Event event) {
            {
                const std::lock_guard<std::mutex> lock(steps_.mutex_);
                steps_.events_.push_back(std::move(event));
            }
            if (const auto work = steps_.work_.find(name_); work != steps_.work_.end()) {
                work->second();
            }
        }
        Steps& steps_;
        std::string name_;
    };

    void add(const std::string& name, std::function<void()> work = {}) {
        plan_.steps.push_back(std::make_unique<NamedStep>(name));
        runners_.push_back(std::make_unique<NotedRunner>(*this, name));
        if (work) {
            work_[name] = std::move(work);
        }
    }
    void run() { run_steps(plan_, runners_); }
    std::vector<std::string> order() const {
        std::vector<std::string> names;
        for (const Event& event : events_) {
            names.push_back(event.step);
        }
        return names;
    }
    std::vector<Event> of(const std::string& step) const {
        std::vector<Event> events;
        std::copy_if(events_.begin(), events_.end(), std::back_inserter(events),
                     [&](const Event& event) { return event.step == step; });
        return events;
    }

    Plan plan_;
    std::vector<std::unique_ptr<Runner>> runners_;
    std::map<std::string, std::function<void()>> work_;
    std::mutex mutex_;
    std::vector<Event> events_;
};

TEST_F(Steps, AreRunInTheOrderOfThePlan) {
    for (const char* name : {"c", "a", "b"}) {
        add(name);
    }
    run();
    EXPECT_THAT(order(), ElementsAre("c", "a", "b"));
    EXPECT_TRUE(events_[0].whole);
}

TEST_F(Steps, ThatDoNotStandInAGroupAreRunAsAWhole) {
    for (const char* name : {"before", "first", "second", "between", "third", "after"}) {
        add(name);
    }
    plan_.tile_groups = {{.first = 1, .last = 3, .rows = 4, .grain = 1, .part = 4},
                         {.first = 4, .last = 5, .rows = 2, .grain = 1, .part = 2}};
    run();
    EXPECT_THAT(order(), ElementsAre("before", "first", "second", "between", "third", "after"));
    for (const char* name : {"before", "between", "after"}) {
        EXPECT_TRUE(of(name)[0].whole) << name;
    }
    for (const char* name : {"first", "second", "third"}) {
        EXPECT_FALSE(of(name)[0].whole) << name;
    }
}

// With one thread a part goes through all steps of the group before the next one begins.
TEST_F(Steps, OfAGroupFollowEachOtherPartByPart) {
    add("a");
    add("b");
    plan_.tile_groups = {{.first = 0, .last = 2, .rows = 10, .grain = 2, .part = 4}};
    run();
    EXPECT_THAT(order(), ElementsAre("a", "b", "a", "b", "a", "b"));
    for (std::size_t i = 0; i < events_.size(); i += 2) {
        EXPECT_EQ(events_[i].part.begin, events_[i + 1].part.begin);
        EXPECT_EQ(events_[i].part.end, events_[i + 1].part.end);
    }
}

// Every row once for each step, parts that begin at the grain and are no larger than they may be,
// and of each thread's number no more than there is memory for.
TEST_F(Steps, OfAGroupGetEveryRowOnce) {
    std::mt19937 rng(5);
    add("a");
    add("b");
    for (int i = 0; i < 300; ++i) {
        SCOPED_TRACE(detail::cat("seed 5, case ", i));
        TileGroup group{.first = 0, .last = 2};
        group.grain = 1 + rng() % 7;
        group.share_grain = rng() % 2 == 0 ? 1 : group.grain;
        group.rows = 1 + rng() % 90;
        group.part = group.grain * (1 + rng() % 6);
        group.threads = 1 + rng() % 4;
        plan_.tile_groups = {group};
        events_.clear();
        const ThreadCount threads(1 + static_cast<int>(rng() % 4), rng() % 2 == 0);
        run();
        for (const char* name : {"a", "b"}) {
            std::vector<int> times(group.rows, 0);
            for (const Event& event : of(name)) {
                ASSERT_LT(event.part.begin, event.part.end);
                ASSERT_LE(event.part.end, group.rows);
                EXPECT_EQ(event.part.begin % group.share_grain, 0u);
                EXPECT_LE(event.part.end - event.part.begin, group.part);
                EXPECT_LT(event.part.thread, group.threads);
                for (std::size_t row = event.part.begin; row < event.part.end; ++row) {
                    ++times[row];
                }
            }
            EXPECT_EQ(times, std::vector<int>(group.rows, 1)) << name;
        }
    }
}

// Memory of a part belongs to the number of its thread: no two threads may have the same number.
TEST_F(Steps, OfAGroupHaveAThreadNumberOfTheirOwn) {
    std::map<std::size_t, std::set<std::thread::id>> users;
    std::mutex mutex;
    add("a");
    class Watch final : public Runner {
    public:
        Watch(std::map<std::size_t, std::set<std::thread::id>>& users, std::mutex& mutex)
            : users_(users), mutex_(mutex) {}
        void run() override {}
        void run_rows(const RowPart& part) override {
            const std::lock_guard<std::mutex> lock(mutex_);
            users_[part.thread].insert(std::this_thread::get_id());
        }

    private:
        std::map<std::size_t, std::set<std::thread::id>>& users_;
        std::mutex& mutex_;
    };
    runners_[0] = std::make_unique<Watch>(users, mutex);
    plan_.tile_groups = {
        {.first = 0, .last = 1, .rows = 4000, .grain = 1, .part = 10, .threads = 3}};
    const ThreadCount threads(3);
    run();
    EXPECT_EQ(users.size(), 3u);
    for (const auto& [number, ids] : users) {
        EXPECT_EQ(ids.size(), 1u) << number;
    }
}

TEST_F(Steps, ThatFailAreNamed) {
    add("good");
    add("bad", [] { throw dnnl::error(dnnl_out_of_memory, "could not execute a primitive"); });
    add("never");
    EXPECT_THAT([&] { run(); },
                ::testing::ThrowsMessage<Error>(
                    AllOf(HasSubstr("infer"), HasSubstr("'bad' (kind_of_bad)"),
                          HasSubstr("could not execute a primitive"), HasSubstr("out_of_memory"))));
    EXPECT_THAT(order(), ElementsAre("good", "bad"));
}

TEST_F(Steps, ThatFindNoMemoryAreNamed) {
    add("large", [] { throw std::bad_alloc(); });
    EXPECT_THAT([&] { run(); }, ::testing::ThrowsMessage<Error>(
                                    AllOf(HasSubstr("'large'"), HasSubstr("out of memory"))));
}

TEST_F(Steps, ErrorsWithoutALayerAreNamed) {
    add("a", [] { throw Error("infer", "sequence_lengths has the value 9"); });
    EXPECT_THAT([&] { run(); },
                ::testing::ThrowsMessage<Error>(::testing::Eq(
                    "infer: layer 'a' (kind_of_a): sequence_lengths has the value 9")));
}

// A failure before a group and one after it are those of their own steps.
TEST_F(Steps, AfterAGroupAreNamedToo) {
    for (const char* name : {"a", "b"}) {
        add(name);
    }
    add("bad", [] { throw std::bad_alloc(); });
    plan_.tile_groups = {{.first = 0, .last = 2, .rows = 4, .grain = 1, .part = 4}};
    EXPECT_THAT([&] { run(); }, ::testing::ThrowsMessage<Error>(HasSubstr("'bad'")));
}

// In a thread of the team, where an exception that leaves it would end the process. The others end
// as usual, and the request can be run again.
TEST_F(Steps, OfAGroupThatFailInAnyThreadAreNamed) {
    std::atomic<int> fails{-1};  // the call that does
    std::atomic<int> calls{0};
    add("good");
    add("bad", [&] {
        if (calls++ == fails) {
            throw std::bad_alloc();
        }
    });
    add("after");
    plan_.tile_groups = {{.first = 0, .last = 2, .rows = 40, .grain = 1, .part = 2, .threads = 4}};
    for (const int count : {1, 2, 4}) {
        const ThreadCount threads(count);
        for (const int call : {0, 7, 19}) {
            SCOPED_TRACE(detail::cat(count, " threads, call ", call));
            events_.clear();
            calls = 0;
            fails = call;
            EXPECT_THAT([&] { run(); },
                        ::testing::ThrowsMessage<Error>(
                            AllOf(HasSubstr("'bad' (kind_of_bad)"), HasSubstr("out of memory"))));
            EXPECT_TRUE(of("after").empty());
            EXPECT_LE(of("bad").size(), 20u);
        }
        fails = -1;
        events_.clear();
        run();
        EXPECT_EQ(of("after").size(), 1u);
        EXPECT_EQ(of("bad").size(), 20u);
    }
}

// More than one thread at once: one of the failures is told.
TEST_F(Steps, OfAGroupMayFailInAllThreads) {
    add("bad", [] { throw Error("infer", "no row is good"); });
    plan_.tile_groups = {{.first = 0, .last = 1, .rows = 40, .grain = 1, .part = 2, .threads = 4}};
    const ThreadCount threads(4);
    EXPECT_THAT([&] { run(); }, ::testing::ThrowsMessage<Error>(::testing::Eq(
                                    "infer: layer 'bad' (kind_of_bad): no row is good")));
    EXPECT_LE(events_.size(), 4u);
}

TEST_F(Steps, AreTimedEachForItself) {
    const auto sleep = [](int ms) {
        return [ms] { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); };
    };
    add("short");
    add("long", sleep(20));
    add("tiled", sleep(2));
    add("tiled too");
    plan_.tile_groups = {{.first = 2, .last = 4, .rows = 8, .grain = 1, .part = 2}};
    std::vector<double> times{9e9, 9e9};  // of an earlier plan
    run_timed(plan_, runners_, times);
    ASSERT_EQ(times.size(), 4u);
    EXPECT_GE(times[1], 20000.0);
    EXPECT_GE(times[2], 4 * 2000.0);  // the sum of its parts
    EXPECT_LT(times[0], 9e9);
    EXPECT_LT(times[3], 9e9);
}

}  // namespace
}  // namespace fuseq::cpu
