-- Creates a role that may work on shared ledgers and nothing else: it reads and appends, and cannot change or delete an
-- event. Run it as the owner of the schema, after `windlass ledger share` and again after each upgrade of
-- Windlass, which may add functions:
--
--   psql postgres://OWNER@HOST/DATABASE -v role=windlass_worker -f deploy/postgres/worker-role.sql
--
-- Give each machine a login of its own that is a member of the role:
--
--   create role machine_1 login password '…' in role windlass_worker;

select format('create role %I nologin', :'role')
where not exists (select from pg_roles where rolname = :'role')
\gexec

grant usage on schema windlass to :"role";
grant select on windlass.format to :"role";
grant execute on function windlass.clock() to :"role";
grant execute on function windlass.read(text, bigint, text, bigint) to :"role";
grant execute on function windlass.append(text, bigint, text, text, bytea, bigint) to :"role";
grant execute on function windlass.seize(text, bigint, text, bigint) to :"role";
grant execute on function windlass.put_blob(text, text, bytea) to :"role";
grant execute on function windlass.blob(text, text) to :"role";
