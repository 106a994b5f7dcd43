//! Names of services, which the root keeps for all nodes.

use super::Conn;
use super::channel::Message;
use super::client::Form;
use super::core::Server;
use crate::wire::{Reply, Service};
use std::collections::HashMap;

/// Who has sent a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Requester {
    Process(Conn, Form),
    /// A server below, with its number for the request.
    Server(Conn, u64),
}

#[derive(Default)]
pub(super) struct Names {
    /// Port by service; at the root only.
    known: HashMap<Vec<u8>, Vec<u8>>,
    /// Requests that went to the parent.
    open: HashMap<u64, (Requester, Service)>,
    next: u64,
}

impl Names {
    /// The root's answer: the port of a look-up.
    fn serve(&mut self, act: Service, service: Vec<u8>, port: Vec<u8>) -> Result<Vec<u8>, String> {
        let unknown = || "service_not_found".to_owned();
        match act {
            Service::Publish if self.known.contains_key(&service) => Err("key_already_present".to_owned()),
            Service::Publish => {
                self.known.insert(service, port);
                Ok(Vec::new())
            }
            Service::Lookup => self.known.get(&service).cloned().ok_or_else(unknown),
            Service::Unpublish => self.known.remove(&service).map(|_| Vec::new()).ok_or_else(unknown),
        }
    }
}

impl Server {
    pub(super) fn name_request(&mut self, from: Requester, act: Service, service: Vec<u8>, port: Vec<u8>) {
        if self.root() {
            let result = self.names.serve(act, service, port);
            return self.answer_name(&from, act, result);
        }
        let id = self.names.next;
        self.names.next += 1;
        self.names.open.insert(id, (from, act));
        self.send(Conn::Parent, &Message::Name { id, act, service, port });
    }

    pub(super) fn name_reply(&mut self, id: u64, result: Result<Vec<u8>, String>) {
        if let Some((from, act)) = self.names.open.remove(&id) {
            self.answer_name(&from, act, result);
        }
    }

    fn answer_name(&mut self, from: &Requester, act: Service, result: Result<Vec<u8>, String>) {
        match from {
            Requester::Process(conn, form) => self.reply(*conn, form, &Reply::Name { act, result }),
            Requester::Server(conn, id) => self.send(*conn, &Message::NameReply { id: *id, result }),
        }
    }
}
