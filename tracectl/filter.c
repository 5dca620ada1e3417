/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The filters that reading verbs share. What depends on the type of an event
 * alone is decided once per type. Called by cmd_view.c, cmd_convert.c,
 * cmd_stat.c.
 */
#include <stdlib.h>
#include <string.h>

#include "libtrbuf/control.h"
#include "tracectl/filter.h"
#include "tracectl/out_time.h"

enum type_verdict { TYPE_UNKNOWN, TYPE_NO, TYPE_YES };

void filter_init(struct filter *f)
{
	memset(f, 0, sizeof(*f));
	f->begin_ns = INT64_MIN;
	f->end_ns = INT64_MAX;
}

void filter_free(struct filter *f)
{
	filter_expr_free(f->where);
}

static const char *parse_one(const char *p, uint64_t *v)
{
	const char *from = p;

	for (*v = 0; *p >= '0' && *p <= '9'; p++) {
		if (*v > UINT32_MAX)
			return NULL;
		*v = *v * 10 + (uint64_t)(*p - '0');
	}
	return p > from ? p : NULL;
}

static int take_list(const struct cmd_env *env, struct filter_list *l, const char *arg)
{
	const char *p = arg;

	for (;;) {
		struct filter_range r;

		p = parse_one(p, &r.low);
		r.high = r.low;
		if (p && *p == '-')
			p = parse_one(p + 1, &r.high);
		if (!p || (*p && *p != ',') || r.high < r.low)
			return cmd_usage(env, "`%s` is not a list such as 1,4-7", arg);
		if (l->n == FILTER_LIST)
			return cmd_usage(env, "more than %d numbers or ranges", FILTER_LIST);
		l->range[l->n++] = r;
		if (!*p++)
			return 0;
	}
}

static int take_glob(const struct cmd_env *env, struct filter_globs *g, const char *arg)
{
	if (g->n == FILTER_LIST)
		return cmd_usage(env, "more than %d patterns", FILTER_LIST);
	g->glob[g->n++] = arg;
	return 0;
}

static int take_where(const struct cmd_env *env, struct filter *f, const char *arg)
{
	char error[FILTER_ERROR];

	if (f->where)
		return cmd_usage(env, "--where may be given once; join with &&");
	f->where = filter_parse(arg, error);
	return f->where ? 0 : cmd_usage(env, "--where: %s", error);
}

static int take_time(const struct cmd_env *env, const char *option, const char *arg,
		     const char **to)
{
	int64_t ns;

	if (arg[0] != '@' && out_parse_time(arg, 0, 1, &ns))
		return cmd_usage(env, "%s: `%s` is not a time (+1.5s, 13:02:03.5, "
				 "2026-12-01T13:02:03Z, seconds, or @EVENT)", option, arg);
	*to = arg;
	return 0;
}

int filter_take(const struct cmd_env *env, struct filter *f, int option, const char *arg)
{
	f->any |= option != FILTER_BEGIN && option != FILTER_END;
	switch (option) {
	case FILTER_BEGIN:
		return take_time(env, "--begin", arg, &f->begin);
	case FILTER_END:
		return take_time(env, "--end", arg, &f->end);
	case FILTER_EVENT:
		return take_glob(env, &f->events, arg);
	case FILTER_CLASS:
		return take_glob(env, &f->classes, arg);
	case FILTER_PID:
		return take_list(env, &f->pids, arg);
	case FILTER_TID:
		return take_list(env, &f->tids, arg);
	case FILTER_CPU:
		return take_list(env, &f->cpus, arg);
	default:
		return take_where(env, f, arg);
	}
}

int filter_check(const struct cmd_env *env, const struct filter *f, const struct reader *r)
{
	const struct filter_node *n = f->where ? filter_unknown(f->where, r) : NULL;

	if (!n)
		return 0;
	return cmd_usage(env, "--where: column %u: no event of this trace has a field `%s`",
			 n->column, n->text);
}

int64_t filter_begin(const struct filter *f)
{
	int64_t ns;

	/* What is relative needs the very first event. */
	if (!f->begin || f->begin[0] == '@' || out_time_is_relative(f->begin) ||
	    (f->end && out_time_is_relative(f->end)) || out_parse_time(f->begin, 0, f->utc, &ns))
		return INT64_MIN;
	return ns;
}

static int name_matches(const char *pattern, const struct meta_event *type)
{
	const char *name = type->name;

	if (control_glob(pattern, name))
		return 1;
	/* the name alone, without its class */
	return !strchr(pattern, ':') && type->class_len &&
	       control_glob(pattern, name + type->class_len + 1);
}

static int class_matches(const char *pattern, const struct meta_event *type)
{
	char name[128];

	if (type->class_len >= sizeof(name))
		return 0;
	memcpy(name, type->name, type->class_len);
	name[type->class_len] = '\0';
	return control_glob(pattern, name);
}

static enum type_verdict judge_type(const struct filter *f, const struct meta_event *type)
{
	int event = !f->events.n, class = !f->classes.n;

	for (unsigned i = 0; i < f->events.n; i++)
		event |= name_matches(f->events.glob[i], type);
	for (unsigned i = 0; i < f->classes.n; i++)
		class |= class_matches(f->classes.glob[i], type);
	return event && class ? TYPE_YES : TYPE_NO;
}

static int in_list(const struct filter_list *l, uint64_t v)
{
	for (unsigned i = 0; i < l->n; i++) {
		if (v >= l->range[i].low && v <= l->range[i].high)
			return 1;
	}
	return 0;
}

static int lists_match(const struct filter *f, const struct trace_event *ev)
{
	int32_t id;

	if (f->cpus.n && !in_list(&f->cpus, ev->cpu))
		return 0;
	if (f->pids.n && (event_pid(ev, &id) || !in_list(&f->pids, (uint32_t)id)))
		return 0;
	return !f->tids.n || (event_tid(ev, &id) == 0 && in_list(&f->tids, (uint32_t)id));
}

static int passes(const struct filter *f, const struct trace_event *ev)
{
	uintptr_t verdict = (uintptr_t)ev->type->user[META_USER_FILTER];

	if (verdict == TYPE_UNKNOWN) {
		verdict = judge_type(f, ev->type);
		ev->type->user[META_USER_FILTER] = (void *)verdict;
	}
	return verdict == TYPE_YES && lists_match(f, ev) && (!f->where || filter_eval(f->where, ev));
}

/* With the first event, relative times become absolute. */
static void resolve(struct filter *f, const struct trace_event *ev)
{
	f->resolved = 1;
	f->started = !f->begin || f->begin[0] != '@';
	if (f->begin && f->begin[0] != '@')
		out_parse_time(f->begin, ev->ns, f->utc, &f->begin_ns);
	if (f->end && f->end[0] != '@')
		out_parse_time(f->end, ev->ns, f->utc, &f->end_ns);
}

enum filter_verdict filter_event(struct filter *f, const struct trace_event *ev)
{
	if (!f->resolved)
		resolve(f, ev);
	if (f->finished || ev->ns > f->end_ns)
		return FILTER_STOP;
	if (ev->ns < f->begin_ns)
		return FILTER_SKIP;
	if (!f->started && !name_matches(f->begin + 1, ev->type))
		return FILTER_SKIP;
	f->started = 1;
	f->finished = f->end && f->end[0] == '@' && name_matches(f->end + 1, ev->type);
	return !f->any || passes(f, ev) ? FILTER_TAKE : FILTER_SKIP;
}
