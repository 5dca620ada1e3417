/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The ring protocol as built, for spin. One ring; NP producers that share its
 * CPU (or a locked ring), one consumer, a tool that changes the mode.
 *
 * Names follow the code: look(), next_page(), open_page(), seal(), miss() of
 * ring_switch.c; take, post, partial of ring_read.c; list of ring_recover.c.
 * doc/ring.md says how each step maps, and what is left out.
 *
 * One `atomic` is one step: at most one load or store of a word that somebody
 * else writes at that time. At each step of a producer it may be killed
 * (KILLS), at each step of the consumer it may die (CRASHES); then everything
 * private is forgotten and the next consumer starts with recovery.
 *
 * Sizes (-D):   NP EV SLOTS C KILLS CRASHES   see below
 *               MODE 0 discard, 1 overwrite;  TOGGLE mode changes in the middle
 *               SHRINKS GROWS PARTS STOPS     how often the consumer may do it
 *               BIG  records take 1 or 2 of the C cells of a page
 *               BATCH the consumer may hold two pages
 *               LOCKED a locked ring in place of a CPU's
 * Planted (-D): BUG_...                       see run.sh
 */
#ifndef NP
#define NP 2            /* producers */
#endif
#ifndef EV
#define EV 2            /* events each */
#endif
#ifndef EV2
#define EV2 EV          /* of the second */
#endif
#ifndef SLOTS
#define SLOTS 2
#endif
#ifndef C
#define C 1             /* cells of a page */
#endif
#ifndef MODE
#define MODE 0
#endif
#ifndef TOGGLE
#define TOGGLE 0
#endif
#ifndef KILLS
#define KILLS 0
#endif
#ifndef CRASHES
#define CRASHES 0
#endif
#ifndef SHRINKS
#define SHRINKS 0
#endif
#ifndef GROWS
#define GROWS SHRINKS
#endif
#ifndef PARTS
#define PARTS 0
#endif
#ifndef STOPS
#define STOPS 0
#endif

/* Field widths, scaled down. The code's rules: CAP is twice the slots or more;
 * t, f and a are compared modulo their width; the tag is the low part of a page
 * number; head holds the low part of the page number, parity included. All of
 * them wrap within the first pages, as START and FSTART are just below. */
#if SLOTS <= 2
#define CAP 4           /* table_cap */
#else
#define CAP 8
#endif
#define W 8             /* t, f, a:     2^32 in the code */
#ifndef TAGW
#define TAGW 2          /* tag:         2^16 */
#endif
#define HEADW 2         /* page of head: 2^24 */
#define START 6         /* first page number (whole numbers never wrap) */
#define FSTART 6        /* first f and a */
#define NONE 255

#define AHEAD(x, y) (((x) + W - (y)) % W)               /* x - y, modular */
#define AFTER(x, y) (AHEAD(x, y) > 0 && AHEAD(x, y) < W / 2)

/* ---------------------------------------------------------- shared words */

byte hp, he, ho;        /* head: page, events, offset ... */
bit hz;                 /* ... and sealed: one word, one step */
byte wn[2], ws[2];      /* page words by parity: number, slot (for base and slot) */
byte missed;
byte Ff, Fa;            /* F */
byte Tt, Ts, Tg;        /* T: oldest, stolen slot or NONE, tag */
byte freeq[CAP];
byte pgs[CAP], pgf[CAP];/* pages[]: slot, fn (one word) */
byte snum[SLOTS], send[SLOTS], sbefore[SLOTS], smiss[SLOTS];    /* slot entries */
byte retired;           /* bits */
byte data[SLOTS * C];   /* what the i-th record of a page is: its number in the ring */
bit mode;

/* The ledger in the region, word by word, and the last packet of the file. */
byte dpage, dcount, devents, dmissed;
bit ffile, fhaspage;
byte fpage, fcount, fevents, fmissed;

/* ------------------------------------------------------- the machine */

byte insec;             /* who is in a section (LOCKED: who owns the ring) */
bit aborted[NP + 1];
bit dead[NP + 1];
byte kills = KILLS, crashes = CRASHES;
byte done;              /* producers that have ended */

/* ----------------------------------------------------- ghosts: the truth */

byte emitted;           /* commits */
byte gmissed;           /* misses */
byte elsewhere;         /* LOCKED: events that found the ring taken */
byte ngot, nlost;       /* events in files; reported as overwritten */
byte greported;         /* misses reported */
byte hand;              /* slots in the hand of the consumer (bits) */
bit toggled = MODE;

/* Every slot is in exactly one place. */
inline claim(s_)
{
	assert(!(m_ & (1 << (s_))));
	m_ = m_ | (1 << (s_))
}

inline chk()
{
	d_step {
		m_ = hand; i_ = 0;
		assert(!(hand & retired));
		m_ = m_ | retired;
		assert(AHEAD(wn[hp & 1] % W, Tt) < W / 2);
		do
		:: i_ <= AHEAD(wn[hp & 1] % W, Tt) -> claim(pgs[(Tt + i_) % CAP]); i_++
		:: else -> break
		od;
		i_ = 0;
		assert(AHEAD(Fa, Ff) <= SLOTS);
		do
		:: i_ < AHEAD(Fa, Ff) -> claim(freeq[(Ff + i_) % CAP]); i_++
		:: else -> break
		od;
		if
		:: Ts != NONE && Tg == (wn[hp & 1] + 1) % TAGW -> claim(Ts)
		:: else
		fi;
		i_ = pgf[wn[hp & 1] % CAP];
		if
		:: Ff == (i_ + 1) % W -> claim(freeq[i_ % CAP])
		:: else -> assert(Ff == i_)
		fi;
		assert(m_ == (1 << SLOTS) - 1); /* none leaked */
		m_ = 0; i_ = 0
	}
}

/* --------------------------------------------------------------- producer */

/* A step in plain C, and one in a section: killed, sent back, or done. */
#define STEP atomic { if :: kills > 0 -> kills--; goto killed :: true fi
#define END }
#ifdef LOCKED
#define ENTER atomic { if :: kills > 0 -> kills--; goto killed :: true fi
#define SEC STEP
#define LEAVE
#else
#define ENTER atomic { if :: kills > 0 -> kills--; goto killed :: true fi; \
	if :: insec != 0 && insec != me -> aborted[insec] = 1 :: else fi; \
	insec = me; aborted[me] = 0
#define SEC atomic { if :: kills > 0 -> kills--; goto killed :: true fi; \
	if :: aborted[me] -> aborted[me] = 0; goto again :: else fi
#define LEAVE insec = 0
#endif
/* In open_page(): whether the entry stores are in the section. */
#ifdef BUG_PLAIN_STORES
#define ENTRY STEP
#else
#define ENTRY SEC
#endif

#define HEAD_SAME (hp == hpage && he == hev && ho == hoff && hz == hseal)
#ifdef BUG_NUMBER_NOT_COMPARED
#define PAGE_SAME HEAD_SAME
#else
#define PAGE_SAME (HEAD_SAME && wn[hpage & 1] == n)
#endif
#define F_SAME (Ff == f && Fa == a)
#define T_SAME (Tt == t && Ts == ts && Tg == tg)
/* What the sections compare, beside head and the number. */
#ifdef BUG_STEAL_F_NOT_COMPARED
#define STEAL_SAME (PAGE_SAME && T_SAME)
#else
#define STEAL_SAME (PAGE_SAME && T_SAME && F_SAME)
#endif
#ifdef BUG_MISS_F_NOT_COMPARED
#define MISS_SAME (PAGE_SAME && missed == sm && T_SAME)
#else
#define MISS_SAME (PAGE_SAME && missed == sm && T_SAME && F_SAME)
#endif
#ifdef BUG_T_NOT_COMPARED
#define OPEN_SAME (PAGE_SAME && missed == sm)
#elif defined(BUG_MISSED_NOT_COMPARED)
#define OPEN_SAME (PAGE_SAME && (!bytake || T_SAME))
#else
#define OPEN_SAME (PAGE_SAME && missed == sm && (!bytake || T_SAME))
#endif
#define TAG ((n + 1) % TAGW)
#define PENDING_STEAL (Ts != NONE && Tg == (wn[hp & 1] + 1) % TAGW)
#define PENDING_TAKE (Ff != pgf[wn[hp & 1] % CAP])

inline read_hp()
{
	hpage = hp; hev = he; hoff = ho; hseal = hz
}

inline forget()
{
	hpage = 0; hev = 0; hoff = 0; hseal = 0; n = 0; slot = 0; sm = 0;
	t = 0; ts = 0; tg = 0; f = 0; a = 0; fn = 0; before = 0; ns = 0; bytake = 0
}

proctype producer(byte me; byte events)
{
	byte k, need = 1;
	/* the snapshot */
	byte hpage, hev, hoff, n, slot, sm, t, ts, tg, f, a, fn, before, ns;
	bit hseal, bytake;
	byte m_, i_;

	do
	:: k == events -> break
	:: k < events ->
		atomic {
#ifdef BIG
			if :: need = 1 :: need = 2 fi;
#endif
#ifdef LOCKED
			if
			:: insec != 0 -> elsewhere++; k++; goto next /* the next ring */
			:: else -> insec = me
			fi
#else
			skip
#endif
		}
again:
		/* rseq_commit(). What it loads only producers write, and whoever
		 * enters a section sends the one inside back: one step. */
		ENTER;
			forget(); read_hp(); slot = ws[hp & 1];
			if
			:: hoff + need <= C && !hseal -> skip
			:: else -> LEAVE; forget(); goto look
			fi END;
		SEC; data[slot * C + hev] = emitted END;
		SEC;
			he = hev + 1; ho = hoff + need; LEAVE;
			emitted++; k++;
			assert(smiss[slot] == missed); /* misses lie between pages */
			goto next END;

look:		/* ring_switch.c, look(): plain C */
		STEP; read_hp() END;
		STEP; n = wn[hpage & 1];
			if :: n % HEADW != hpage -> goto again :: else fi END;
		STEP; slot = ws[hpage & 1]; sm = missed END;
		STEP; t = Tt; ts = Ts; tg = Tg END;
		/* F; and what stands still as long as F, T and head do. next_page() */
		STEP;
			f = Ff; a = Fa; fn = pgf[n % CAP]; before = sbefore[slot] + hev;
			if
			:: hoff + need <= C && !hseal -> goto again /* somebody opened it */
#ifdef BUG_STEAL_IGNORED
			:: else -> if :: ts != NONE -> goto clear :: else fi
#elif defined(BUG_STALE_TAG)
			:: else -> if :: ts != NONE && tg == TAG -> ns = ts; goto open :: else fi
#else
			:: else ->
				if
				:: ts != NONE && tg != TAG -> goto clear
				:: ts != NONE && tg == TAG -> ns = ts; goto open
				:: else
				fi
#endif
			fi;
			if
#ifndef BUG_TAKE_IGNORED
			:: f == (fn + 1) % W -> ns = freeq[fn % CAP]; fn = f; bytake = 1; goto open
			:: f != (fn + 1) % W && AFTER(a, f) -> goto take
#else
			:: AFTER(a, f) -> goto take
#endif
			:: else
			fi;
			if
#ifdef BUG_STEAL_OPEN
			:: mode == 1 && AHEAD(n % W, t) < W / 2 -> ns = pgs[t % CAP]; goto steal
#else
			:: mode == 1 && AFTER(n % W, t) -> ns = pgs[t % CAP]; goto steal
#endif
			:: else
			fi;
#ifndef BUG_NO_SEAL
			if :: !hseal -> goto seal :: else fi;
#endif
			goto miss END;

		/* swap(): compares and the swap. Others can only send it back between
		 * them, and only the swapped word is the consumer's too: one step. */
clear:		ENTER;
			if :: PAGE_SAME && T_SAME -> Ts = NONE; Tg = 0; chk() :: else fi;
			LEAVE; goto again END;
take:		ENTER;
			if :: PAGE_SAME && F_SAME -> Ff = (f + 1) % W; chk() :: else fi;
			LEAVE; goto again END;
steal:		ENTER;
			if
			:: STEAL_SAME ->
				Tt = (t + 1) % W; Ts = ns; Tg = TAG;
				chk()
			:: else
			fi;
			LEAVE; goto again END;
seal:		ENTER; if :: PAGE_SAME -> hz = 1 :: else fi; LEAVE; goto again END;

miss:		/* compares in the section, then the store that commits */
		ENTER;
			if
			:: MISS_SAME -> assert(Ff == Fa) /* nothing posted, seen inside the section */
			:: else -> LEAVE; goto again
			fi END;
		SEC;
			assert(!PENDING_STEAL && !PENDING_TAKE);
			missed = sm + 1; LEAVE;
			gmissed++; k++;
			goto next END;

open:		/* open_page(ns, fn): compares, then the stores in their order */
#ifndef BUG_PLAIN_STORES
		ENTER;
			if
			:: OPEN_SAME -> skip
			:: else -> LEAVE; goto again
			fi END;
#endif
#ifdef BUG_HEAD_FIRST
		SEC; pgs[(n + 1) % CAP] = ns; pgf[(n + 1) % CAP] = fn END;
		SEC; wn[(hpage + 1) & 1] = n + 1; ws[(hpage + 1) & 1] = ns END;
		SEC; hp = (hpage + 1) % HEADW; he = 0; ho = 0; hz = 0 END;
		SEC; send[slot] = hev; snum[ns] = n + 1; sbefore[ns] = before; smiss[ns] = sm;
			LEAVE; goto again END;
#else
		ENTRY; send[slot] = hev; snum[ns] = n + 1 END;
		ENTRY; sbefore[ns] = before; smiss[ns] = sm END;
		ENTRY; pgs[(n + 1) % CAP] = ns; pgf[(n + 1) % CAP] = fn END;
#ifdef BUG_NUMBER_EARLY
		ENTRY; wn[(hpage + 1) & 1] = n + 1 END;
		ENTRY; ws[(hpage + 1) & 1] = ns END;
#else
		ENTRY; ws[(hpage + 1) & 1] = ns END;
		ENTRY; wn[(hpage + 1) & 1] = n + 1 END;
#endif
#ifdef BUG_PLAIN_STORES
		ENTER;
			if
			:: OPEN_SAME -> skip
			:: else -> LEAVE; goto again
			fi END;
#endif
		SEC;
			hp = (hpage + 1) % HEADW; he = 0; ho = 0; hz = 0;
			LEAVE;
			chk();
			assert(sbefore[ns] == emitted); /* both exact, at their place */
			assert(smiss[ns] == gmissed);
			goto again END;
#endif
next:
		atomic {
#ifdef LOCKED
			if :: insec == me -> insec = 0 :: else fi;
#endif
			forget()
		}
	od;
	done++;
	goto end;
killed:
	atomic {
		dead[me] = 1;
#ifndef LOCKED
		if :: insec == me -> insec = 0 :: else fi;
#endif
		forget(); k = 0; need = 1; aborted[me] = 0;
		done++
	}
end:	skip
}

/* --------------------------------------------------------------- consumer */

#define CRASH if :: crashes > 0 -> crashes--; goto restart :: true fi
#define CSTEP atomic { CRASH

/* head and the whole number of its page: repeated until they fit. */
#define READ_HEAD(label) \
label:	CSTEP; h = hp; e = he END; \
	CSTEP; n = wn[h & 1]; if :: n % HEADW != h -> goto label :: else fi END; \
	CSTEP; s = ws[h & 1]; if :: hp != h -> goto label :: else fi END

/*
 * packets.c and carry_out(): the packets of a page, or the part of one, as
 * copied. Its misses in a packet of their own, then the page's, then the
 * ledger word by word. Nobody else looks at these: one step, with every place
 * in it where the consumer may die.
 */
inline to_disk(num, bef, upto, mis)
{
	atomic {
		CRASH;
		assert(!ffile || (levents == fevents && lmissed == fmissed));
		if
		:: num < lpage && bef + upto <= levents -> skip /* already_there() */
		:: else ->
#ifdef BUG_LEDGER_FIRST
			dpage = num; dcount = upto; devents = bef + upto; dmissed = mis;
			CRASH;
#endif
			if
			:: num == lpage && lcount > 0 -> /* rest_of_page() */
				assert(lcount <= upto);
				assert(lcount == upto || lmissed == mis)
			:: else ->
				assert(bef >= levents && mis >= lmissed); /* or -EBADMSG */
				if
				:: bef > levents || mis > lmissed ->
					nlost = nlost + (bef - levents); greported = greported + (mis - lmissed);
					levents = bef; lmissed = mis;
					ffile = 1; fevents = levents; fmissed = lmissed;
					CRASH
				:: else
				fi
			fi;
			i = levents - bef;
			do
			:: i < upto -> assert(copy[i] == bef + i); ngot++; i++
			:: else -> break
			od;
			i = 0;
			levents = bef + upto; lpage = num; lcount = upto;
			ffile = 1; fhaspage = 1;
			fpage = lpage; fcount = lcount; fevents = levents; fmissed = lmissed;
			CRASH;
			dcount = 0; CRASH; /* offset 0 first ... */
			dpage = lpage; CRASH;
			devents = levents; CRASH;
			dmissed = lmissed; CRASH;
			dcount = lcount /* ... and whole at last */
		fi
	}
}

/* copy[] of a page; in the code the page itself where it was taken. */
inline copy_page(sl, cnt)
{
	i = 0;
	do
	:: i < cnt -> copy[i] = data[(sl) * C + i]; i++
	:: else -> break
	od;
	i = 0
}

/* ring_pool_post(): the queue first, then F. Only this side writes a. */
inline post(sl)
{
	CSTEP; x = Fa; freeq[x % CAP] = sl END;
	CSTEP; Fa = (x + 1) % W; hand = hand & ~(1 << sl); chk(); x = 0 END
}

/* ring_pool_retire() */
inline retire(sl)
{
	CSTEP; retired = retired | (1 << sl); hand = hand & ~(1 << sl) END
}

inline cforget()
{
	h = 0; e = 0; n = 0; s = 0; x = 0; y = 0; ok = 0; mask = 0; best = NONE;
	f = 0; a = 0; t = 0; ts = 0; tg = 0; b = NONE; bef = 0; mis = 0; num = 0; rest = 0;
	i = 0; do :: i < C -> copy[i] = 0; i++ :: else -> break od; i = 0
}

proctype consumer()
{
	byte h, e, n, s, x, y, f, a, t, ts, tg, i, mask, best = NONE, b = NONE, bef, mis, num;
	byte rest;              /* slots found by recovery and not yet posted */
	byte copy[C];
	byte lpage = START, lcount, levents, lmissed; /* private copy of the ledger */
	byte shrinks = SHRINKS, grows = GROWS, parts = PARTS, stops = STOPS;
	bit ok;
	byte m_, i_;

start:
	atomic { cforget() }
	do
	/* ring_reader_take(), write, ring_reader_post() */
	:: Tt != wn[hp & 1] % W ->
take:
		CSTEP; t = Tt; ts = Ts; tg = Tg END;
take_head:	CSTEP; h = hp END;
		CSTEP;
			n = wn[h & 1];
			if :: n % HEADW != h || hp != h -> goto take_head :: else fi END;
		atomic {
			CRASH;
			if
			:: !AFTER(n % W, t) || !T_SAME -> ok = 0 /* none full, or stolen meanwhile */
			:: else ->
				num = n - AHEAD(n % W, t);
				s = pgs[num % CAP];
				Tt = (t + 1) % W;
				hand = hand | (1 << s);
				chk();
				ok = 1;
				assert(snum[s] == num) /* check_page() */
			fi
		}
		if
		:: !ok && b == NONE -> goto start
		:: !ok && b != NONE -> s = b; b = NONE
		:: else ->
#ifdef BATCH
			if
			:: b == NONE && mode == 0 -> b = s; goto take
			:: b != NONE ->
				atomic { CRASH; copy_page(b, send[b]) }
				to_disk(snum[b], sbefore[b], send[b], smiss[b]);
				post(b);
				b = NONE
			:: else
			fi
#else
			skip
#endif
		fi;
#if SHRINKS > 0
		/* drop_oldest(): without a recording, overwrite mode */
		if
		:: shrinks > 0 && mode == 1 -> shrinks--; retire(s); goto start
		:: true
		fi;
#endif
		atomic { CRASH; copy_page(s, send[s]) }
		to_disk(snum[s], sbefore[s], send[s], smiss[s]);
		goto back
#if PARTS > 0
	/* ring_reader_partial() */
	:: parts > 0 && he > 0 && Tt == wn[hp & 1] % W ->
		parts--;
		READ_HEAD(part_head);
		CSTEP; if :: Tt != n % W || e == 0 -> goto start :: else fi END;
		if :: lpage == n && lcount >= e -> goto start :: else fi;
		CSTEP; num = snum[s]; bef = sbefore[s]; mis = smiss[s] END;
		y = 0;
		do
		:: y < e -> CSTEP; copy[y] = data[s * C + y] END; y++
		:: else -> break
		od;
#ifndef BUG_PARTIAL_NO_CHECK
		CSTEP; if :: AHEAD(n % W, Tt) < W / 2 -> skip :: else -> goto start fi END;
#endif
		assert(num == n);
		to_disk(num, bef, e, mis);
		goto start
#endif
#if STOPS > 0
	/* drain_last_misses() at the end of a recording; the next has no file yet */
	:: stops > 0 && Tt == wn[hp & 1] % W ->
		stops--;
		READ_HEAD(stop_head);
		CSTEP; mis = missed; bef = sbefore[s] + e END;
		CSTEP; if :: hp != h || he != e || wn[h & 1] != n -> goto stop_head :: else fi END;
		if
#ifdef BUG_LAST_MISSES
		:: mis > lmissed ->
#else
		:: n == lpage && bef == levents && mis > lmissed ->
#endif
			atomic {
				CRASH;
				greported = greported + (mis - lmissed);
				lmissed = mis; ffile = 1; fevents = levents; fmissed = mis;
				CRASH;
				dmissed = mis
			}
		:: else
		fi;
		CSTEP; ffile = 0; fhaspage = 0 END;
		goto start
#endif
#if SHRINKS > 0
	/* ring_pool_shrink(): take back the last posted page, keep it */
	:: shrinks > 0 && AHEAD(Fa, Ff) > 0 ->
		shrinks--;
		CSTEP; f = Ff; a = Fa END;
		if :: !AFTER(a, f) -> goto start :: else fi;
		CSTEP; s = freeq[(a + W - 1) % W % CAP] END;
		atomic {
			CRASH;
			if
#ifdef BUG_SHRINK_STORE
			:: true ->
#else
			:: F_SAME ->
#endif
				Ff = f; Fa = (a + W - 1) % W; hand = hand | (1 << s); chk()
			:: else -> goto start
			fi
		}
		retire(s);
		goto start
	/* ring_pool_grow(): a retired slot comes back */
	:: grows > 0 && retired != 0 ->
		grows--;
		s = 0;
		do :: !(retired & (1 << s)) -> s++ :: else -> break od;
		CSTEP; snum[s] = NONE END;
		CSTEP; retired = retired & ~(1 << s); hand = hand | (1 << s) END;
		post(s);
		goto start
#endif
#ifdef LOCKED
	/* ring_free_dead_owners() */
	:: insec != 0 && dead[insec] -> CSTEP; insec = 0 END; goto start
#endif
	:: done == NP && Tt == wn[hp & 1] % W -> goto fin
	od;

back:	/* ring_reader_post(): post, or keep it as the ring shrinks */
#if SHRINKS > 0
	if
	:: shrinks > 0 -> shrinks--; retire(s)
	:: true -> post(s)
	fi;
#else
	post(s);
#endif
	if :: rest != 0 -> goto others :: else -> goto start fi;

restart:
	/* recover.c: the ledger, and what the file has beyond it */
	atomic {
		cforget();
		lpage = dpage; lcount = dcount; levents = devents; lmissed = dmissed;
		if :: ffile -> levents = fevents; lmissed = fmissed :: else fi;
		if :: ffile && fhaspage -> lpage = fpage; lcount = fcount :: else fi;
#ifdef BUG_LEDGER_FIRST
		lpage = dpage; lcount = dcount; levents = devents; lmissed = dmissed;
#endif
		dpage = lpage; dcount = lcount; devents = levents; dmissed = lmissed
	}
	/* ring_recover.c, list(): what the producers' side holds */
list:
	atomic { cforget() }
	CSTEP; h = hp END;
	CSTEP; n = wn[h & 1]; if :: n % HEADW != h -> goto list :: else fi END;
	CSTEP; f = Ff; a = Fa END;
	CSTEP; t = Tt; ts = Ts; tg = Tg END;
	atomic { x = AHEAD(n % W, t); y = 0 }
	do
	:: y <= x && y < CAP -> CSTEP; mask = mask | (1 << pgs[(t + y) % CAP]); y++ END
	:: else -> break
	od;
	atomic {
		x = AHEAD(a, f); y = 0
#ifdef BUG_HALF_POST
		; x++
#endif
	}
	do
	:: y < x && y < CAP -> CSTEP; mask = mask | (1 << freeq[(f + y) % CAP]); y++ END
	:: else -> break
	od;
	CSTEP;
		x = pgf[n % CAP];
		if :: ts != NONE && tg == TAG -> mask = mask | (1 << ts) :: else fi END;
	if
	:: f == (x + 1) % W -> CSTEP; mask = mask | (1 << freeq[x % CAP]) END
	:: else
	fi;
#ifndef BUG_ONE_READ
	CSTEP; if :: hp != h || wn[h & 1] != n -> goto list :: else fi END;
	CSTEP; if :: !F_SAME -> goto list :: else fi END;
	CSTEP; if :: !T_SAME -> goto list :: else fi END;
#endif
	rest = ((1 << SLOTS) - 1) & ~mask & ~retired;
others:
	atomic {
		best = NONE; i = 0;
		do
		:: i < SLOTS ->
			if
			:: (rest & (1 << i)) && (best == NONE || snum[i] < snum[best]) -> best = i
			:: else
			fi;
			i++
		:: else -> break
		od;
		i = 0; x = 0; y = 0; h = 0; n = 0; f = 0; a = 0; t = 0; ts = 0; tg = 0; mask = 0;
		if :: best == NONE -> goto start :: else fi;
		s = best; best = NONE; rest = rest & ~(1 << s);
		assert(hand & (1 << s)) /* it is ours indeed */
	}
	if
	:: snum[s] != NONE ->
		atomic { CRASH; copy_page(s, send[s]) }
		to_disk(snum[s], sbefore[s], send[s], smiss[s])
	:: else
	fi;
	goto back;

fin:	/* stop: the page that head is in, and the last misses */
	atomic {
		assert(hand == 0); /* none forgotten */
		s = ws[hp & 1];
		copy_page(s, he);
		bef = sbefore[s];
		if
		:: wn[hp & 1] == lpage && lcount > 0 -> skip
		:: else ->
			assert(bef >= levents && smiss[s] >= lmissed);
			nlost = nlost + (bef - levents); levents = bef;
			greported = greported + (smiss[s] - lmissed); lmissed = smiss[s]
		fi;
		i = levents - bef;
		do
		:: i < he -> assert(copy[i] == bef + i); ngot++; levents++; i++
		:: else -> break
		od;
		greported = greported + (missed - lmissed);
		assert(levents == emitted && ngot + nlost == emitted);
		assert(missed == gmissed && greported == gmissed);
		assert(toggled || nlost == 0 || SHRINKS > 0 && MODE == 1); /* discard overwrites nothing */
		assert(kills < KILLS || emitted + missed + elsewhere == EV + (NP - 1) * EV2);
		chk()
	}
}

#if TOGGLE
proctype tool()
{
	atomic { mode = 1 - mode; toggled = 1 }
}
#endif

init {
	byte j;

	atomic {
		mode = MODE;
		hp = START % HEADW; wn[hp] = START; ws[hp] = 0; wn[1 - hp] = START - 1;
		pgs[START % CAP] = 0; pgf[START % CAP] = FSTART;
		Ff = FSTART; Fa = FSTART; Tt = START % W; Ts = NONE;
		snum[0] = START;
		j = 1;
		do
		:: j < SLOTS -> snum[j] = NONE; freeq[Fa % CAP] = j; Fa = (Fa + 1) % W; j++
		:: else -> break
		od;
		j = 0;
		dpage = START;
		run producer(1, EV);
#if NP > 1
		run producer(2, EV2);
#endif
#if NP > 2
		run producer(3, EV2);
#endif
#if TOGGLE
		run tool();
#endif
		run consumer()
	}
}
