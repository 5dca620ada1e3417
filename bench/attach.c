/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * attach [--rounds N] [--json] BASE PROGRAM...: how long does a whole process
 * take, from its start to its end? The programs take turns. BASE is what the
 * others are compared with.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "bench/bench.h"

#define MAX 8
extern char **environ;

static double once(char *program)
{
	char *args[] = { program, NULL };
	uint64_t start = bench_cycles();
	int status;
	pid_t pid;

	if (posix_spawn(&pid, program, NULL, NULL, args, environ))
		bench_die("cannot start %s", program);
	if (waitpid(pid, &status, 0) != pid || status != 0)
		bench_die("%s failed", program);
	return (double)(bench_cycles() - start);
}

int main(int argc, char **argv)
{
	double per_ns = bench_cycles_per_ns(), *cycles[MAX], base = 0;
	char *program[MAX];
	unsigned rounds = 100;
	int n = 0;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--json"))
			bench_json = 1;
		else if (!strcmp(argv[i], "--rounds") && i + 1 < argc)
			rounds = (unsigned)atoi(argv[++i]);
		else if (n < MAX)
			program[n++] = argv[i];
	}
	if (!n || !rounds)
		return 2;
	for (int i = 0; i < n; i++)
		if (!(cycles[i] = calloc(rounds, sizeof(double))))
			bench_die("no memory");
	for (unsigned r = 0; r < rounds; r++)
		for (int i = 0; i < n; i++)
			cycles[i][r] = once(program[i]);
	for (int i = 0; i < n; i++) {
		const char *slash = strrchr(program[i], '/');
		struct bench_row row = BENCH_ROW();
		char setting[48];

		bench_sort(cycles[i], rounds);
		row.bench = "attach";
		row.name = slash ? slash + 1 : program[i];
		row.cycles = bench_quantile(cycles[i], rounds, 0.5);
		row.ns = row.cycles / per_ns;
		if (i == 0)
			base = row.ns;
		snprintf(setting, sizeof(setting), "%+.3f ms", (row.ns - base) / 1e6);
		row.setting = setting;
		row.ratio = row.ns / base;
		row.ratio_to = "base";
		row.p50 = row.ns;
		row.p99 = bench_quantile(cycles[i], rounds, 0.99) / per_ns;
		row.p999 = bench_quantile(cycles[i], rounds, 0.999) / per_ns;
		row.max = cycles[i][rounds - 1] / per_ns;
		bench_print(&row);
	}
	return 0;
}
