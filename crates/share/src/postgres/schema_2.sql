-- Format 2: blobs, which hold the step outputs that are too large for an event.
create table windlass.blob (
    ledger text not null references windlass.ledger (name),
    id text not null,
    bytes bytea not null,
    written_at timestamptz not null default clock_timestamp(),
    written_by text not null default session_user,
    primary key (ledger, id)
);

create function windlass.put_blob(in_ledger text, in_id text, in_bytes bytea) returns void
    language sql volatile security definer
    set search_path = pg_catalog, pg_temp
    as $$
        insert into windlass.blob (ledger, id, bytes) values (in_ledger, in_id, in_bytes) on conflict do nothing
    $$;

create function windlass.blob(in_ledger text, in_id text) returns bytea
    language sql stable security definer
    set search_path = pg_catalog, pg_temp
    as $$ select b.bytes from windlass.blob b where b.ledger = in_ledger and b.id = in_id $$;

-- The append updates the row of the ledger before it inserts, so a second look at that row checks nothing.
alter table windlass.batch drop constraint batch_ledger_fkey;

revoke all on windlass.blob from public;
revoke all on all functions in schema windlass from public;
