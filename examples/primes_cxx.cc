// SPDX-License-Identifier: MIT
// Copyright The trbuf authors
//
// primes.c in C++: the same pipeline, with trace points in a namespace, a class
// and a template, and spans that end by destructor, also when an exception
// passes.
//
//	c++ -std=c++17 primes_cxx.cc -o primes_cxx -pthread $(pkg-config --cflags --libs trbuf)
//	tracectl record -o traces -- ./primes_cxx --seconds 2
//
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <trbuf.h>

namespace pipeline {

TRBUF_EVENT(primes, number, TRBUF_DEBUG, (u32, number), (bool, prime));
TRBUF_EVENT(primes, depth, TRBUF_INFO, (u64, pages));
TRBUF_SPAN_EVENT(primes, fill_page, TRBUF_INFO, (u64, page));
TRBUF_SPAN_EVENT(primes, put, TRBUF_INFO);
TRBUF_SPAN_EVENT(primes, get, TRBUF_INFO);
TRBUF_SPAN_EVENT(primes, test_page, TRBUF_INFO, (u64, page), (str, worker));
TRBUF_SPAN_EVENT(primes, is_prime, TRBUF_DEBUG, (u32, number));

constexpr std::size_t page_numbers = 1000;

struct Page {
	std::uint64_t index = 0;
	std::vector<std::uint32_t> numbers;
};

struct Closed : std::runtime_error {
	Closed() : std::runtime_error("queue closed")
	{
	}
};

template <typename T> class Queue {
public:
	explicit Queue(std::size_t limit) : limit_(limit)
	{
	}

	void put(T item)
	{
		TRBUF_SPAN(primes, put);
		std::unique_lock<std::mutex> lock(mutex_);

		changed_.wait(lock, [this] { return items_.size() < limit_; });
		items_.push_back(std::move(item));
		trbuf_trace(primes, depth, items_.size());
		changed_.notify_all();
	}

	// Throws Closed when it is empty and no more will come.
	T get()
	{
		TRBUF_SPAN(primes, get);
		std::unique_lock<std::mutex> lock(mutex_);

		changed_.wait(lock, [this] { return !items_.empty() || closed_; });
		if (items_.empty())
			throw Closed();
		T item = std::move(items_.front());
		items_.pop_front();
		changed_.notify_all();
		return item;
	}

	void close()
	{
		std::lock_guard<std::mutex> lock(mutex_);

		closed_ = true;
		changed_.notify_all();
	}

private:
	const std::size_t limit_;
	std::mutex mutex_;
	std::condition_variable changed_;
	std::deque<T> items_;
	bool closed_ = false;
};

// By trial division, as it stands in every book.
bool is_prime(std::uint32_t n)
{
	TRBUF_SPAN(primes, is_prime, n);

	if (n < 2 || n % 2 == 0)
		return n == 2;
	for (std::uint32_t d = 3; std::uint64_t{d} * d <= n; d += 2)
		if (n % d == 0)
			return false;
	return true;
}

class Run {
public:
	void operator()(double seconds, int threads)
	{
		std::vector<std::thread> all;

		all.emplace_back([this] { produce(); });
		for (int i = 1; i <= threads; i++)
			all.emplace_back([this, i] { consume("worker-" + std::to_string(i)); });
		std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
		stop_ = true;
		for (auto &thread : all)
			thread.join();
	}

	std::atomic<unsigned long long> numbers{ 0 }, primes{ 0 };

private:
	Page fill_page(std::uint64_t index)
	{
		TRBUF_SPAN(primes, fill_page, index);
		Page page;

		page.index = index;
		for (std::size_t i = 0; i < page_numbers; i++)
			page.numbers.push_back(static_cast<std::uint32_t>(random_()));
		return page;
	}

	void produce()
	{
		for (std::uint64_t index = 0; !stop_; index++)
			queue_.put(fill_page(index));
		queue_.close();
	}

	void test_page(const Page &page, const std::string &worker)
	{
		TRBUF_SPAN(primes, test_page, page.index, worker.c_str());

		for (std::uint32_t number : page.numbers) {
			const bool prime = is_prime(number);

			trbuf_trace(primes, number, number, prime);
			primes += prime;
		}
		numbers += page.numbers.size();
	}

	void consume(const std::string &worker)
	{
		try {
			for (;;)
				test_page(queue_.get(), worker);
		} catch (const Closed &) {
		}
	}

	std::mt19937 random_{ std::random_device{}() };
	Queue<Page> queue_{ 8 };
	std::atomic<bool> stop_{ false };
};

} // namespace pipeline

static double number_option(const char *option, const char *text, double low, double high)
{
	char *end = nullptr;
	const double value = text ? std::strtod(text, &end) : 0;

	if (!text || end == text || *end || !(value >= low && value <= high)) {
		std::fprintf(stderr, "primes_cxx: %s: \"%s\" is not a number from %g to %g\n", option,
			     text ? text : "", low, high);
		std::exit(2);
	}
	return value;
}

int main(int argc, char **argv)
{
	double seconds = 1;
	int threads = 4;

	for (int i = 1; i < argc; i += 2) {
		if (!std::strcmp(argv[i], "--seconds")) {
			seconds = number_option(argv[i], argv[i + 1], 0, 1e6);
		} else if (!std::strcmp(argv[i], "--threads")) {
			threads = static_cast<int>(number_option(argv[i], argv[i + 1], 1, 256));
		} else if (!std::strcmp(argv[i], "--help")) {
			std::puts("usage: primes_cxx [--seconds N] [--threads N]");
			return 0;
		} else {
			std::fprintf(stderr, "primes_cxx: no such option: \"%s\"\n", argv[i]);
			return 2;
		}
	}

	pipeline::Run run;
	run(seconds, threads);
	const unsigned long long numbers = run.numbers, primes = run.primes;
	std::printf("numbers %llu primes %llu (%.3f %%)\n", numbers, primes,
		    numbers ? 100.0 * static_cast<double>(primes) / static_cast<double>(numbers) : 0.0);
	return 0;
}
